import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import type { DecisionRecord, DecisionRow } from '../../src/shared/schema/decision.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { EntryPointVersion } from '../../src/shared/schema/user-operation.ts';
import {
  MULTI_SEND,
  SINGLE,
  encodeExecute,
  encodeExecute7579,
  encodeMultiSend,
  encodeSafe,
  packTransaction,
} from '../support/account-call-data.ts';
import { shareOf } from '../support/combinations.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { GAS, gameCall, gameItems } from '../support/operations.ts';
import type { RpcReply, SponsoredDapp } from '../support/engine.ts';

const CHAIN_ID = 31337;
/** Addresses with many letters. */
const ITEMS: Address = '0xabcdefabcdefabcdefabcdefabcdefabcdefabcd';
const TOKEN: Address = '0xfadefadefadefadefadefadefadefadefadefade';
const DELEGATE: Address = '0xdecadedecadedecadedecadedecadedecadedeca';
const EXECUTE_USER_OP = '0x8dd7712f';

const desk = useOfflineDesk();
const versions: Record<string, EntryPointVersion> = { '1.1.0': '0.6', 'singleton-0.7': '0.7', 'singleton-0.8': '0.8' };
const dapps = new Map<string, SponsoredDapp>();

beforeAll(async () => {
  for (const version of ['1.1.0-token', 'singleton-0.7', 'singleton-0.8']) {
    await desk().call('paymasterContracts.use', { chainId: CHAIN_ID, version, address: `0x${'7a'.repeat(20)}` });
  }
  const rate = { source: 'static', tokensPerCoin: '3000' };
  const token = { chainId: CHAIN_ID, address: TOKEN, symbol: 'USDT', decimals: 6, premium: '10', rate };
  await desk().call('feeTokens.set', token);
  for (const version of Object.keys(versions)) {
    const dapp = version === '1.1.0' ? await desk().dapp() : await newDapp(version);
    const contract = { name: 'Items', address: ITEMS, abi: gameItems.formatJson(), whitelistedMethods: ['mint'] };
    await desk().call('contracts.create', { paymasterId: dapp.paymasterId, ...contract });
    dapps.set(version, dapp);
  }
});

const newDapp = (version: string): Promise<SponsoredDapp> => desk().engine().dapp({ version });

const bytes = (minLength: number, maxLength = minLength): fc.Arbitrary<Hex> =>
  fc.uint8Array({ minLength, maxLength }).map((value): Hex => `0x${Buffer.from(value).toString('hex')}`);
const address = bytes(20);

const callData = fc
  .record({
    to: fc.oneof({ weight: 3, arbitrary: fc.constant(ITEMS) }, { weight: 1, arbitrary: address }),
    data: fc.oneof(fc.constant(gameCall('mint', 0xabcdefn)), fc.constant(gameCall('burn')), bytes(0, 40)),
    form: fc.constantFrom('execute', 'erc7579', 'multiSend', 'bytes'),
    prefixes: fc.nat(2),
  })
  .map(({ to, data, form, prefixes }): Hex => {
    const encoded = {
      execute: () => encodeExecute(to, 0n, data),
      erc7579: () => encodeExecute7579(SINGLE, `${to}${'00'.repeat(32)}${data.slice(2)}`),
      multiSend: () => encodeSafe(MULTI_SEND, encodeMultiSend(packTransaction(0, to, data)), 1),
      bytes: () => data,
    }[form]();
    return `0x${EXECUTE_USER_OP.slice(2).repeat(prefixes)}${encoded.slice(2)}`;
  });

/** How the account comes about, in the fields of every EntryPoint. */
const origin = fc.oneof(
  fc.constant({}),
  fc.record({ initCode: bytes(20, 60) }),
  fc.record({ factory: address, factoryData: bytes(0, 40) }),
  fc.constant({
    factory: '0x7702',
    eip7702Auth: { chainId: '0x0', address: DELEGATE, nonce: '0xa', yParity: '0x1', r: '0xabc', s: '0xdef' },
  }),
  fc.constant({
    initCode: `0x7702${'00'.repeat(18)}ab`,
    eip7702Auth: { chainId: '0x0', address: DELEGATE, nonce: '0xa' },
  }),
);

const gas = { ...GAS, maxFeePerGas: '0x3b9aca0f', maxPriorityFeePerGas: '0xa' };
const operation = fc
  .record({
    sender: address,
    nonce: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    callData,
    origin,
    signature: bytes(65),
  })
  .map(({ nonce, origin: fields, ...op }) => ({ ...op, nonce: `0x${nonce.toString(16)}`, ...fields, ...gas }));

/** One that is sponsored. */
const allowed = {
  sender: DELEGATE,
  nonce: '0xa',
  callData: encodeExecute(ITEMS, 0n, gameCall('mint', 0xabcdefn)),
  signature: '0xfe',
  ...gas,
};

type Ask = (op: object, entryPoint: Address, token: Address) => [method: string, ...params: unknown[]];

const dialects: Record<string, Ask> = {
  Biconomy: (op) => ['pm_sponsorUserOperation', op, { mode: 'SPONSORED' }],
  'Biconomy, token': (op, _, feeTokenAddress) => [
    'pm_sponsorUserOperation',
    op,
    { mode: 'ERC20', tokenInfo: { feeTokenAddress } },
  ],
  quote: (op, _, feeTokenAddress) => [
    'pm_getFeeQuoteOrData',
    op,
    { mode: 'ERC20', tokenInfo: { tokenList: [feeTokenAddress] } },
  ],
  'ERC-7677': (op, entryPoint) => ['pm_getPaymasterData', op, entryPoint, '0x7a69', {}],
  'ERC-7677, token': (op, entryPoint, token) => ['pm_getPaymasterData', op, entryPoint, '0x7a69', { token }],
  'ERC-7677, stub': (op, entryPoint) => ['pm_getPaymasterStubData', op, entryPoint, '0x7a69', {}],
  Pimlico: (op, entryPoint) => ['pm_sponsorUserOperation', op, entryPoint, {}],
};

/** Every `0x` string in the value with its letters in upper case where the mask, repeated, says so. */
const recased = (value: unknown, mask: readonly boolean[]): unknown => {
  let at = 0;
  const recase = (text: string): string =>
    `0x${text.slice(2).replace(/[a-f]/g, (letter) => (mask[at++ % mask.length] === true ? letter.toUpperCase() : letter))}`;
  return JSON.parse(JSON.stringify(value), (_key, member: unknown) =>
    typeof member === 'string' && member.startsWith('0x') ? recase(member) : member,
  ) as unknown;
};

/** What is kept of a decision, but for when it was made, what was received, and what earlier decisions hold. */
const decided = ({ id: _i, seq: _s, at: _a, request, trace, reservations, ...rest }: DecisionRecord): object => ({
  ...rest,
  reservations: reservations?.map(({ account, amount }) => ({ account, amount })),
  request: { ...(request as object), received: undefined, options: undefined },
  trace: trace.map(({ rule, outcome, code }) => ({ rule, outcome, code })),
});

const post = ({ apiKey }: SponsoredDapp, [method, ...params]: unknown[]): Promise<RpcReply> =>
  desk().engine().post(`/api/v1/${CHAIN_ID}/${apiKey}`, { jsonrpc: '2.0', id: 1, method, params });

const newest = async ({ paymasterId }: SponsoredDapp): Promise<DecisionRecord | undefined> => {
  const [row] = await desk().call<DecisionRow[]>('decisions.list', { paymasterId, limit: 1 });
  return row && desk().call('decisions.show', { decisionId: row.id });
};

describe.each(Object.entries(versions))('version %s', (version, entryPointVersion) => {
  test.each(shareOf(Object.keys(dialects), version, Object.keys(versions)))(
    'decides the same in whatever letter case a client writes its hex: %s',
    async (name) => {
      const dapp = dapps.get(version)!;
      const codes = new Set<string>();
      await fc.assert(
        fc.asyncProperty(operation, fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }), async (op, mask) => {
          const request = dialects[name]!(op, entryPoints[entryPointVersion].address.toLowerCase() as Address, TOKEN);
          const replies = [];
          for (const sent of [request, [request[0], ...(recased(request.slice(1), mask) as unknown[])]]) {
            const { status, body } = await post(dapp, sent);
            const decision = await newest(dapp);
            replies.push({ status, body, decision: decision && decided(decision) });
            codes.add(decision?.code ?? '');
          }
          expect(replies[1]).toEqual(replies[0]);
        }),
        { numRuns: 25, examples: [[allowed, [true]]] },
      );
      if (name === 'Biconomy') expect([...codes]).toContain('SPONSORED');
    },
  );
});
