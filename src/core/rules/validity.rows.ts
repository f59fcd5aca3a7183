import { type World, withFacts, withOp, offering } from '../../../test/support/advice.ts';
import { row, ruleTable } from '../../../test/support/rule-table.ts';
import type { Situation } from '../../../test/support/situation.ts';
import { FACTORY } from '../../../test/support/situations.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { validity } from './validity.ts';

const STRANGER: Address = `0x${'57'.repeat(20)}`;
const TARGET = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const account = (hasCode: boolean, nextNonce = '0'): Situation => ({ facts: { account: { hasCode, nextNonce } } });
/** An operation that creates its account. With a code, the creation fails with that code. */
const making = (creationFailure?: 'AA13' | 'AA14' | 'AA15'): Situation => ({
  facts: { account: { hasCode: false, nextNonce: '0', ...(creationFailure && { creationFailure }) } },
  op: { initCode: FACTORY },
});

/** The account rejects the operation with this error, whatever its signature. */
const validating = (failure: Hex | undefined): Situation => ({
  facts: { account: { hasCode: true, nextNonce: '0', ...(failure && { validationFailure: failure }) } },
});

/** An operation that the account has signed. With a failure, the EntryPoint rejects it for that reason. */
const signed = (failure: string | undefined): Situation => ({
  facts: { account: { hasCode: true, nextNonce: '0', ...(failure && { signedFailure: failure }) } },
});

/** The factory creates the account, and the EntryPoint accepts it. */
const created = (world: World): World => withFacts(world, { account: { hasCode: false, nextNonce: '0' } });

export default ruleTable(validity, {
  SENDER_WITHOUT_CODE: {
    rows: [row(account, false, true)],
    advices: [
      {
        denied: account(false),
        says: /Send the factory \((?<field>initCode) before v0\.7\)/,
        change: ({ field = '' }, world) => withOp(world, { [field]: FACTORY }),
      },
      {
        denied: account(false),
        says: /wait until it is mined/,
        change: (_, world) => withFacts(world, { account: { hasCode: true, nextNonce: '0' } }),
      },
    ],
    words: { evidence: { nonce: '0', nextNonce: '0' }, names: ['factory', 'initCode', 'eip7702Auth'] },
  },
  SENDER_HAS_CODE: {
    rows: [row((initCode: Hex) => ({ op: { initCode } }), FACTORY, '0x')],
    advices: [
      {
        denied: { op: { initCode: FACTORY } },
        says: /Leave out the factory \((?<field>initCode) before v0\.7\)/,
        change: ({ field = '' }, world) => withOp(world, { [field]: '0x' }),
      },
    ],
    words: { evidence: { nonce: '0', nextNonce: '1' }, names: ['factory', 'initCode'] },
  },
  FACTORY_FAILED: {
    rows: [row(making, 'AA13', undefined)],
    advices: [
      {
        denied: making('AA13'),
        says: /raise (?<field>verificationGasLimit) above (?<number>\d+)/,
        change: ({ field = '', number = '' }, world) => created(withOp(world, { [field]: BigInt(number) + 1n })),
      },
    ],
    words: {
      evidence: { factory: TARGET, verificationGasLimit: '500000' },
      names: [TARGET, 'AA13', '500000', 'initCode', 'raise verificationGasLimit'],
    },
  },
  FACTORY_MADE_OTHER_ACCOUNT: {
    rows: [row(making, 'AA14', undefined)],
    advices: [
      {
        denied: making('AA14'),
        says: /Set (?<field>sender) to what EntryPoint\.getSenderAddress returns/,
        change: ({ field = '' }, world) => created(withOp(world, { [field]: STRANGER })),
      },
    ],
    words: { evidence: { factory: TARGET }, names: [TARGET, 'AA14', 'getSenderAddress'] },
  },
  FACTORY_MADE_NO_ACCOUNT: {
    rows: [row(making, 'AA15', undefined)],
    advices: [
      {
        denied: making('AA15'),
        says: /the data \((?<field>initCode) before v0\.7\) that deploy the account/,
        change: ({ field = '' }, world) => created(withOp(world, { [field]: FACTORY })),
      },
    ],
    words: { evidence: { factory: TARGET }, names: [TARGET, 'AA15', 'initCode'] },
  },
  ACCOUNT_FAILS_VALIDATION: {
    rows: [
      row(validating, '0x', undefined),
      // An earlier operation may set up the account.
      row((nonce: bigint) => ({ ...validating('0x12345678'), op: { nonce } }), 0n, 1n),
    ],
    advices: [
      {
        denied: { facts: { account: { hasCode: true, nextNonce: '0', validationFailure: '0x' } } },
        says: /raise (?<field>verificationGasLimit) above (?<number>\d+)/,
        change: ({ field = '', number = '' }, world) =>
          withFacts(withOp(world, { [field]: BigInt(number) + 1n }), { account: { hasCode: true, nextNonce: '0' } }),
      },
      {
        denied: { facts: { account: { hasCode: true, nextNonce: '0', validationFailure: '0x12345678' } } },
        says: /sets the account up, wait until it is mined/,
        change: (_, world) => withFacts(world, { account: { hasCode: true, nextNonce: '0' } }),
      },
    ],
    words: {
      evidence: { sender: TARGET, error: '0x12345678', verificationGasLimit: '500000' },
      names: [TARGET, 'AA23', 'error 0x12345678', 'raise verificationGasLimit above 500000'],
    },
  },
  SIGNED_OPERATION_FAILS: {
    rows: [row(signed, 'AA24', undefined)],
    advices: [
      {
        denied: signed('AA24'),
        says: /Sign the final operation/,
        change: (_, world) => withFacts(world, { account: { hasCode: true, nextNonce: '0' } }),
      },
    ],
    words: {
      evidence: { nonce: '0', nextNonce: '0', error: 'AA24' },
      names: ['AA24 (signature error)', 'signingPhase commit'],
    },
  },
  NONCE_USED: {
    rows: [row((nonce: bigint) => ({ ...account(true, '7'), op: { nonce } }), 6n, 7n)],
    advices: [offering({ ...account(true, '7'), op: { nonce: 6n } }, 'nonce', /for this key it is (?<number>\d+)/)],
    words: { evidence: { nonce: '6', nextNonce: '7' }, names: ['nonce 6 is already used', 'it is 7'] },
  },
});
