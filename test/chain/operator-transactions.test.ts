import Database from 'better-sqlite3';
import { type HDNodeWallet, Transaction, type TransactionLike, parseEther, toQuantity } from 'ethers';
import { beforeAll, describe, expect, test } from 'vitest';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { type OperatorDesk, signDraft, useOperatorDesk } from '../support/operator-desk.ts';
import { RESERVED_WEI, gameCall, operation } from '../support/operations.ts';

const desk = useOperatorDesk();
const ETHER = parseEther('1');
let tanks: Address;
let verifying: Address;

beforeAll(async () => {
  tanks = await desk().attach('1.1.0');
  verifying = await desk().attach('verifying-0.6');
});

const balanceOf = (who: string): Promise<bigint> => desk().chain.provider.getBalance(who);
const wei = (amount: bigint): string => String(amount);
const call: OperatorDesk['prepare'] = (...args) => desk().prepare(...args);
const depositOf = (paymasterId: string, amount = ETHER) =>
  ({ kind: 'deposit', paymasterId, amountWei: wei(amount) }) as const;
const withdrawalOf = (paymasterId: string, amount: bigint, to: string) =>
  ({ kind: 'withdraw', paymasterId, amountWei: wei(amount), to }) as const;

describe('what the operator pays in and takes out', () => {
  test('is in the tank to the wei, and the payer has paid that and the reported fee', async () => {
    const dapp = await desk().dapp('1.1.0');
    const before = await balanceOf(dapp.wallet.address);
    const sent = await desk().send(depositOf(dapp.paymasterId, ETHER + 7n), dapp.wallet);
    expect(sent).toMatchObject({ kind: 'deposit', state: 'sent', outcome: null, paymasterId: dapp.paymasterId });
    expect(sent.summary).toContain('1.000000000000000007 ETH');
    const mined = await desk().now(sent);
    expect(mined).toMatchObject({ state: 'mined', outcome: 'The deposit is in the tank.', hash: sent.hash });
    expect(await balanceOf(dapp.wallet.address)).toBe(before - ETHER - 7n - BigInt(mined.feeWei ?? 0));
    expect(await desk().balanceOnChain(tanks, dapp.fundingWallet)).toBe(ETHER + 7n);
    expect(await desk().tank(dapp)).toMatchObject({
      balanceWei: wei(ETHER + 7n),
      freeWei: wei(ETHER + 7n),
      reservedWei: '0',
      burnWeiPerDay: '0',
      daysLeft: null,
      contract: tanks,
      owner: dapp.fundingWallet,
      canWithdraw: true,
      hasTanks: true,
      level: 'good',
      error: null,
    });
  });

  test('comes out of the tank by its funding wallet, to whom that says', async () => {
    const dapp = await desk().dapp('1.1.0');
    await desk().send(depositOf(dapp.paymasterId), dapp.wallet);
    const [to, before] = [`0x${'77'.repeat(20)}`, await balanceOf(`0x${'77'.repeat(20)}`)];
    const sent = await desk().send(withdrawalOf(dapp.paymasterId, ETHER / 4n, to), dapp.wallet);
    expect(await desk().now(sent)).toMatchObject({ state: 'mined', kind: 'withdraw' });
    expect(await balanceOf(to)).toBe(before + ETHER / 4n);
    expect((await desk().tank(dapp)).balanceWei).toBe(wei((ETHER * 3n) / 4n));
  });

  test('goes through the deposit of a contract without tanks, which its owner alone may empty', async () => {
    const dapp = await desk().dapp('verifying-0.6');
    const { operator } = desk();
    const held = await desk().balanceOnChain(verifying);
    await desk().send(depositOf(dapp.paymasterId), dapp.wallet);
    expect(await desk().balanceOnChain(verifying)).toBe(held + ETHER);
    expect(await desk().tank(dapp)).toMatchObject({
      balanceWei: wei(held + ETHER),
      owner: operator.address,
      hasTanks: false,
    });
    const withdrawal = withdrawalOf(dapp.paymasterId, ETHER, dapp.wallet.address);
    await expect(call(withdrawal, dapp.wallet)).rejects.toMatchObject({
      code: 'TRANSACTION_WOULD_FAIL',
      message: expect.stringContaining(`Only the owner ${operator.address} may`),
    });
    await desk().now(await desk().send(withdrawal, operator));
    expect(await desk().balanceOnChain(verifying)).toBe(held);
  });

  test('never leaves less than is reserved for operations that are signed', async () => {
    const dapp = await desk().dapp('1.1.0');
    await desk().send(depositOf(dapp.paymasterId, 3n * RESERVED_WEI), dapp.wallet);
    const reply = await dapp.sponsor(operation({ to: desk().contracts.gameItems, data: gameCall('mint') }));
    expect(reply.body.result?.paymasterAndData).not.toBe('0x');
    const take = (amount: bigint) => withdrawalOf(dapp.paymasterId, amount, dapp.wallet.address);
    await expect(call(take(2n * RESERVED_WEI + 1n), dapp.wallet)).rejects.toMatchObject({
      code: 'TRANSACTION_WOULD_FAIL',
      data: { freeWei: wei(2n * RESERVED_WEI), reservedWei: wei(RESERVED_WEI) },
    });
    const draft = await call(take(2n * RESERVED_WEI), dapp.wallet);
    // What is reserved between preparing and signing counts, too.
    await dapp.sponsor(operation({ to: desk().contracts.gameItems, data: gameCall('mint') }, { nonce: '0x1' }));
    const signed = { signedTransaction: await signDraft(draft, dapp.wallet) };
    const send = desk().engine().service.call('transactions.send', { draftId: draft.draftId, signed });
    await expect(send).rejects.toMatchObject({ code: 'TRANSACTION_WOULD_FAIL' });
    expect(await desk().engine().service.call('transactions.list', { paymasterId: dapp.paymasterId })).toHaveLength(1);
  });
});

describe('a transaction that would fail is reported before it is signed', () => {
  test.each([
    ['nothing is paid in', (id: string) => depositOf(id, 0n), /DepositCanNotBeZero/],
    ['more is paid in than there is', (id: string) => depositOf(id, ETHER * 100n), /100.*Add|insufficient/],
    [
      'somebody else withdraws',
      (id: string) => withdrawalOf(id, 1n, `0x${'77'.repeat(20)}`),
      /Only the funding wallet/,
    ],
  ])('where %s', async (what, actionOf, words) => {
    const dapp = await desk().dapp('1.1.0');
    const from = what.startsWith('somebody') ? await desk().rich() : dapp.wallet;
    await expect(call(actionOf(dapp.paymasterId), from)).rejects.toMatchObject({
      code: 'TRANSACTION_WOULD_FAIL',
      message: expect.stringMatching(words),
    });
  });

  test('with the amount that is missing', async () => {
    const dapp = await desk().dapp('1.1.0');
    const poor = await desk().rich('0.5');
    await expect(call(depositOf(dapp.paymasterId), poor)).rejects.toMatchObject({
      code: 'TRANSACTION_WOULD_FAIL',
      data: { missingWei: wei(ETHER / 2n) },
    });
    const nearly = await desk().rich('1');
    const refused = await call(depositOf(dapp.paymasterId), nearly).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'TRANSACTION_WOULD_FAIL',
      message: expect.stringMatching(/you need \S+ ETH with the fee, \S+ holds 1 ETH\. Add \S+ ETH\./),
    });
  });

  test('for a DApp, a contract or a node that is not there', async () => {
    const { operator, chain } = desk();
    const { chainId } = chain;
    await expect(call(depositOf('nobody'), operator)).rejects.toMatchObject({ code: 'PAYMASTER_NOT_FOUND' });
    const deploy = (version: string, on = chainId) => call({ kind: 'deploy', chainId: on, version }, operator);
    await expect(deploy('2.0.0')).rejects.toMatchObject({ code: 'NOT_DEPLOYABLE' });
    await expect(deploy('9.9.9')).rejects.toMatchObject({ code: 'VERSION_NOT_SUPPORTED' });
    await expect(deploy('1.1.0', 10)).rejects.toMatchObject({ code: 'SIGNER_MISSING' });
    await desk().engine().service.call('signers.create', { chainId: 137 });
    await expect(deploy('1.1.0', 137)).rejects.toMatchObject({ code: 'RPC_MISSING' });
    await expect(deploy('1.1.0', 424_242)).rejects.toMatchObject({ code: 'CHAIN_NOT_SUPPORTED' });
  });
});

describe('a signature from elsewhere', () => {
  const prepared = async () => {
    const dapp = await desk().dapp('1.1.0');
    const draft = await call(depositOf(dapp.paymasterId), dapp.wallet);
    const send = (signed: object) =>
      desk()
        .engine()
        .service.call('transactions.send', { draftId: draft.draftId, signed: signed as { signature: `0x${string}` } });
    return { dapp, draft, send };
  };
  const signatureOf = (wallet: HDNodeWallet, unsigned: string, v: (parity: 0 | 1) => number): string => {
    const { r, s, yParity } = wallet.signingKey.sign(Transaction.from(unsigned).unsignedHash);
    return r + s.slice(2) + v(yParity).toString(16).padStart(2, '0');
  };

  test.each([
    ['27 or 28', (parity: 0 | 1) => 27 + parity],
    ['0 or 1', (parity: 0 | 1) => parity],
  ])('counts with v as %s, and once', async (_form, v) => {
    const { dapp, draft, send } = await prepared();
    const signature = signatureOf(dapp.wallet, draft.unsigned, v);
    const [first, second] = await Promise.allSettled([send({ signature }), send({ signature })]);
    expect(first).toMatchObject({ status: 'fulfilled', value: { state: 'sent' } });
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'DRAFT_NOT_FOUND' } });
    await expect.poll(() => desk().balanceOnChain(tanks, dapp.fundingWallet)).toBe(ETHER);
  });

  test.each([
    ['to', { to: `0x${'66'.repeat(20)}` }],
    ['value', { value: 2n * ETHER }],
    ['nonce', { nonce: 5 }],
    ['data', { data: '0x1234' }],
    ['chainId', { chainId: 1n }],
    ['maxFeePerGas', { maxFeePerGas: 1n << 50n }],
    ['access list', { accessList: [{ address: `0x${'66'.repeat(20)}`, storageKeys: [] }] }],
  ])('of a transaction with another %s is refused, and the draft is still there', async (field, change) => {
    const { dapp, draft, send } = await prepared();
    const drafted = Transaction.from(draft.unsigned).toJSON() as TransactionLike;
    const other = Transaction.from({ ...drafted, ...change });
    const tampered = { signedTransaction: await dapp.wallet.signTransaction(other) };
    const refusal = { code: 'INVALID_SIGNATURE', message: expect.stringContaining(`(${field} differs)`) };
    await expect(send(tampered)).rejects.toMatchObject(refusal);
    await expect(send({ signedTransaction: await signDraft(draft, dapp.wallet) })).resolves.toMatchObject({
      state: 'sent',
    });
  });

  test('of another signer, or without a valid form, is refused', async () => {
    const { dapp, draft, send } = await prepared();
    const stranger = await desk().rich();
    const invalid = { code: 'INVALID_SIGNATURE' };
    await expect(send({ signedTransaction: await signDraft(draft, stranger) })).rejects.toMatchObject(invalid);
    await expect(send({ signedTransaction: draft.unsigned })).rejects.toMatchObject(invalid);
    await expect(send({ signedTransaction: '0x02ff' })).rejects.toMatchObject(invalid);
    const theirs = signatureOf(stranger, draft.unsigned, (parity) => parity);
    await expect(send({ signature: theirs })).rejects.toMatchObject(invalid);
    await expect(send({ signature: '0x1234' })).rejects.toMatchObject(invalid);
    const odd = signatureOf(dapp.wallet, draft.unsigned, () => 35);
    await expect(send({ signature: odd })).rejects.toMatchObject(invalid);
    expect(await desk().engine().service.call('transactions.list', { paymasterId: dapp.paymasterId })).toEqual([]);
  });

  test('comes too late after ten minutes', async () => {
    const { dapp, draft, send } = await prepared();
    await desk().clock.advance(10 * 60_000);
    const late = send({ signedTransaction: await signDraft(draft, dapp.wallet) });
    await expect(late).rejects.toMatchObject({ code: 'DRAFT_NOT_FOUND' });
  });
});

describe('a withdrawal', () => {
  test('to an address that cannot take it out again is refused', async () => {
    const dapp = await desk().dapp('1.1.0');
    await desk().send(depositOf(dapp.paymasterId), dapp.wallet);
    for (const to of [`0x${'0'.repeat(40)}`, tanks, entryPoints['0.6'].address]) {
      const lost = call(withdrawalOf(dapp.paymasterId, 1n, to), dapp.wallet);
      await expect(lost).rejects.toMatchObject({
        code: 'TRANSACTION_WOULD_FAIL',
        message: expect.stringContaining('are lost'),
      });
    }
  });

  test('that is in flight is neither withdrawn again nor reserved for operations', async () => {
    const dapp = await desk().dapp('1.1.0');
    await desk().send(depositOf(dapp.paymasterId), dapp.wallet);
    await desk().hold();
    await desk().send(withdrawalOf(dapp.paymasterId, ETHER, dapp.wallet.address), dapp.wallet);
    await expect(call(withdrawalOf(dapp.paymasterId, 1n, dapp.wallet.address), dapp.wallet)).rejects.toMatchObject({
      code: 'TRANSACTION_WOULD_FAIL',
      message: expect.stringContaining('in pending withdrawals'),
    });
    expect(await desk().tank(dapp)).toMatchObject({
      balanceWei: wei(ETHER),
      pendingWithdrawalsWei: wei(ETHER),
      freeWei: '0',
      level: 'empty',
    });
    const mint = operation({ to: desk().contracts.gameItems, data: gameCall('mint') });
    expect((await dapp.sponsor(mint)).body.result?.reason).toMatchObject({
      code: 'GAS_TANK_EMPTY',
      message: expect.stringMatching(/holds 1 ETH, .* 1 ETH is in pending withdrawals/),
    });
    await desk().mine();
  });
});

describe('a withdrawal for which nothing is held any more when it is signed', () => {
  // Engines on PostgreSQL have a test of their own.
  test.skipIf(process.env['GASDESK_TEST_POSTGRES'] !== undefined)(
    'is neither sent nor recorded, and the operator sees why',
    async () => {
      const dapp = await desk().dapp('1.1.0');
      await desk().send(depositOf(dapp.paymasterId), dapp.wallet);
      const draft = await call(withdrawalOf(dapp.paymasterId, ETHER, dapp.wallet.address), dapp.wallet);
      const { provider } = desk().chain;
      const nonce = await provider.getTransactionCount(dapp.wallet.address, 'pending');
      const list = () => desk().engine().service.call('transactions.list', {});
      const known = await list();
      const others = new Database(desk().database);
      // As if another engine had ended the hold of one that it takes for gone.
      others.exec(`CREATE TRIGGER gone AFTER INSERT ON ledger_hold BEGIN
        UPDATE ledger_hold SET hold_id = hold_id + 1000, engine = 1 WHERE hold_id = NEW.hold_id;
      END`);
      try {
        const signed = { signedTransaction: await signDraft(draft, dapp.wallet) };
        const sent = desk().engine().service.call('transactions.send', { draftId: draft.draftId, signed });
        await expect(sent).rejects.toMatchObject({
          code: 'TRANSACTION_WOULD_FAIL',
          message: expect.stringContaining('Nothing was sent'),
        });
      } finally {
        others.exec('DROP TRIGGER gone');
        // This engine releases it after all, since the log says that it holds it.
        others.exec('UPDATE ledger_hold SET hold_id = hold_id - 1000, engine = 0 WHERE engine = 1');
        others.close();
      }
      expect(await provider.getTransactionCount(dapp.wallet.address, 'pending')).toBe(nonce);
      expect(await list()).toEqual(known);
      expect(await desk().balanceOnChain(tanks, dapp.fundingWallet)).toBe(ETHER);
    },
  );
});

describe('a withdrawal and operations at the same moment', () => {
  test.each([0, 3, 6])('take no more than there is: it comes after %i of 6', async (before) => {
    const dapp = await desk().dapp('1.1.0');
    const holds = 6n * RESERVED_WEI;
    await desk().send(depositOf(dapp.paymasterId, holds), dapp.wallet);
    const draft = await call(withdrawalOf(dapp.paymasterId, 3n * RESERVED_WEI, dapp.wallet.address), dapp.wallet);
    const signed = { signedTransaction: await signDraft(draft, dapp.wallet) };
    const mint = { to: desk().contracts.gameItems, data: gameCall('mint') };
    await desk().chain.provider.send('evm_setAutomine', [false]);
    try {
      const ask = (nonce: number) => dapp.sponsor(operation(mint, { nonce: toQuantity(nonce) }));
      const first = Array.from({ length: before }, (_, nonce) => ask(nonce));
      const send = desk().engine().service.call('transactions.send', { draftId: draft.draftId, signed });
      const rest = Array.from({ length: 6 - before }, (_, index) => ask(before + index));
      const [sent] = await Promise.allSettled([send, ...first, ...rest]);
      const { reservedWei } = await desk().tank(dapp);
      const pendingWithdrawalsWei = sent.status === 'fulfilled' ? 3n * RESERVED_WEI : 0n;
      expect(BigInt(reservedWei) + pendingWithdrawalsWei).toBe(holds);
    } finally {
      await desk().chain.provider.send('evm_setAutomine', [true]);
      await desk().chain.provider.send('evm_mine', []);
    }
  });
});

describe('what was sent', () => {
  test('is not forgotten while the node knows it, mined or not: its money moves', async () => {
    const dapp = await desk().dapp('1.1.0');
    const { service } = desk().engine();
    await desk().hold();
    const sent = await desk().send(depositOf(dapp.paymasterId), dapp.wallet);
    const forget = (transactionId: string) => service.call('transactions.forget', { transactionId });
    await expect(forget(sent.transactionId)).rejects.toMatchObject({ code: 'TRANSACTION_KNOWN' });
    await desk().mine();
    await expect(forget(sent.transactionId)).rejects.toMatchObject({ code: 'TRANSACTION_KNOWN' });
    expect(await desk().now(sent)).toMatchObject({ state: 'mined' });
    for (const id of [sent.transactionId, 'nothing'])
      await expect(forget(id)).rejects.toMatchObject({ code: 'TRANSACTION_NOT_FOUND' });
  });

  test('counts as replaced once another transaction has its place, and not before', async () => {
    const dapp = await desk().dapp('1.1.0');
    await desk().hold();
    const sent = await desk().send(depositOf(dapp.paymasterId), dapp.wallet);
    expect(await desk().now(sent)).toMatchObject({ state: 'sent', outcome: null });
    const { nonce } = await dapp.wallet.provider!.getTransaction(sent.hash).then((found) => found!);
    const fees = { maxFeePerGas: parseEther('0.000001'), maxPriorityFeePerGas: parseEther('0.0000001') };
    await dapp.wallet.sendTransaction({ to: dapp.wallet.address, nonce, ...fees, gasLimit: 21_000n });
    await desk().mine(1);
    expect(await desk().now(sent)).toMatchObject({ state: 'sent' });
    await desk().mine(12);
    expect(await desk().now(sent)).toMatchObject({
      state: 'replaced',
      outcome: expect.stringContaining('was mined instead'),
    });
    expect((await desk().tank(dapp)).balanceWei).toBe('0');
  });

  test('and mined is sent again where a re-org dropped it, and not looked at any more once it is deep', async () => {
    const dapp = await desk().dapp('1.1.0');
    await desk().send(depositOf(dapp.paymasterId), dapp.wallet);
    const { provider } = desk().chain;
    const snapshot: unknown = await provider.send('evm_snapshot', []);
    const taken = await desk().send(withdrawalOf(dapp.paymasterId, ETHER / 4n, dapp.wallet.address), dapp.wallet);
    const mined = await desk().now(taken);
    expect(mined).toMatchObject({ state: 'mined', outcome: 'The withdrawal is paid out.' });

    await provider.send('evm_revert', [snapshot]);
    // A node that is behind has dropped nothing.
    expect(await desk().now(taken)).toMatchObject({ state: 'mined' });
    await desk().hold();
    await desk().mine(2);
    await desk().hold();
    const dropped = { state: 'sent', blockNumber: null, feeWei: null, outcome: null };
    expect(await desk().now(taken)).toMatchObject(dropped);
    expect(await desk().tank(dapp)).toMatchObject({ balanceWei: wei(ETHER), freeWei: wei((ETHER * 3n) / 4n) });

    await desk().mine();
    const again = await desk().now(taken);
    expect(again).toMatchObject({ state: 'mined', outcome: 'The withdrawal is paid out.', hash: taken.hash });
    expect(again.blockNumber).toBeGreaterThan(mined.blockNumber!);
    expect(await desk().tank(dapp)).toMatchObject({ freeWei: wei((ETHER * 3n) / 4n) });

    const last: unknown = await provider.send('evm_snapshot', []);
    const kept = await desk().send(withdrawalOf(dapp.paymasterId, ETHER / 4n, dapp.wallet.address), dapp.wallet);
    await desk().mine(12);
    for (let look = 0; look < 2; look++) expect(await desk().now(kept)).toMatchObject({ state: 'mined' });
    await provider.send('evm_revert', [last]);
    await desk().mine(14);
    expect(await desk().now(kept)).toMatchObject({ state: 'mined' });
  });

  test('and reverted is reported with the reason', async () => {
    const dapp = await desk().dapp('1.1.0');
    await desk().send(depositOf(dapp.paymasterId), dapp.wallet);
    const all = withdrawalOf(dapp.paymasterId, ETHER, dapp.wallet.address);
    const { provider } = desk().chain;
    const nonce = await provider.getTransactionCount(dapp.wallet.address);
    // It is prepared while the one before it is not even in the node's pool.
    await provider.send('anvil_setNonce', [dapp.wallet.address, toQuantity(nonce + 1)]);
    const draft = await call(all, dapp.wallet);
    await provider.send('anvil_setNonce', [dapp.wallet.address, toQuantity(nonce)]);
    await desk().hold();
    // The owner of the tank empties it without the desk.
    const { data, gasLimit } = Transaction.from(draft.unsigned);
    await dapp.wallet.sendTransaction({ to: tanks, data, gasLimit, nonce });
    const signed = { signedTransaction: await signDraft(draft, dapp.wallet) };
    const sent = await desk().engine().service.call('transactions.send', { draftId: draft.draftId, signed });
    await desk().mine();
    expect(await desk().now(sent)).toMatchObject({
      state: 'reverted',
      outcome: expect.stringContaining('InsufficientBalance'),
      feeWei: expect.any(String),
    });
  });

  test('while the node was away arrives when it is back, by the watch alone', async () => {
    const dapp = await desk().dapp('1.1.0');
    const draft = await call(depositOf(dapp.paymasterId), dapp.wallet);
    const signed = { signedTransaction: await signDraft(draft, dapp.wallet) };
    await desk().line.cut();
    const sent = await desk().engine().service.call('transactions.send', { draftId: draft.draftId, signed });
    expect(sent.state).toBe('sent');
    expect(await desk().now(sent)).toMatchObject({ state: 'sent' });
    expect(await desk().tank(dapp)).toMatchObject({ balanceWei: null, level: 'unknown', error: expect.any(String) });
    await desk().line.mend();
    await expect
      .poll(async () => {
        await desk().clock.advance(60_000);
        return desk().balanceOnChain(tanks, dapp.fundingWallet);
      })
      .toBe(ETHER);
    expect(await desk().now(sent)).toMatchObject({ state: 'mined' });
  });

  test('before a restart is followed after it: the contract is attached', async () => {
    const { chainId } = desk().chain;
    await desk().hold();
    const sent = await desk().send({ kind: 'deploy', chainId, version: 'singleton-0.6' }, desk().operator);
    await desk().restart();
    await desk().mine();
    const mined = await desk().now(sent);
    expect(mined).toMatchObject({ state: 'mined', outcome: expect.stringContaining('attached') });
    expect(await desk().engine().service.call('paymasterContracts.list', {})).toContainEqual({
      chainId,
      version: 'singleton-0.6',
      address: mined.contract,
      checked: true,
    });
  });
});

test('a contract that takes the place of one with money says so, and how that one is taken back', async () => {
  const { chainId } = desk().chain;
  const target = { chainId, version: 'singleton-0.6' };
  const first = await desk().attach(target.version);
  const { paymasterId, wallet } = await desk().dapp(target.version);
  await desk().send(depositOf(paymasterId), wallet);
  const back = `"gasdesk contract use --chain ${chainId} --version singleton-0.6 --address ${first}"`;
  const words = expect.stringMatching(new RegExp(`replaces ${first}[.] Its balance of 1 ETH .*${back}`));
  const deploy = { kind: 'deploy', ...target } as const;
  expect(await call(deploy, desk().operator)).toMatchObject({ summary: words });
  // The list shows it also after it was mined.
  const timeless = expect.stringMatching(/^Deploys .*[.] It is attached when it is mined[.] It replaces/);
  expect(await call(deploy, desk().operator)).toMatchObject({ summary: timeless });
  const made = await desk().now(await desk().send(deploy, desk().operator));
  expect(made).toMatchObject({ state: 'mined', outcome: words });
  const { service } = desk().engine();
  const replaced = expect.stringMatching(new RegExp(`replaces ${String(made.contract)}[.] Its balance of 0 ETH`));
  expect(await service.call('paymasterContracts.use', { ...target, address: first })).toMatchObject({ replaced });
});

describe('a gas tank', () => {
  test('is low below what its operator says, on the page and in notifications', async () => {
    const dapp = await desk().dapp('1.1.0');
    const { service } = desk().engine();
    await desk().send(depositOf(dapp.paymasterId, 100n * RESERVED_WEI), dapp.wallet);
    const { paymasterId } = dapp;
    await service.call('tanks.setThreshold', { paymasterId, lowBalanceThresholdWei: wei(100n * RESERVED_WEI + 1n) });
    expect(await desk().tank(dapp)).toMatchObject({
      level: 'low',
      lowBalanceThresholdWei: wei(100n * RESERVED_WEI + 1n),
    });
    await dapp.sponsor(operation({ to: desk().contracts.gameItems, data: gameCall('mint') }));
    const [decision] = await dapp.decisions();
    expect(decision?.trace.find(({ rule }) => rule === 'gasTank')?.evidence).toMatchObject({
      lowBalanceThresholdWei: wei(100n * RESERVED_WEI + 1n),
    });
    await service.call('tanks.setThreshold', { paymasterId, lowBalanceThresholdWei: null });
    expect(await desk().tank(dapp)).toMatchObject({
      level: 'good',
      lowBalanceThresholdWei: null,
      reservedWei: wei(RESERVED_WEI),
    });
  });

  test('of 2.0.0 can be filled, and says how it is emptied', async () => {
    const { chainId } = desk().chain;
    const { service } = desk().engine();
    const dapp = await desk().dapp('2.0.0');
    await expect(call(depositOf(dapp.paymasterId), dapp.wallet)).rejects.toMatchObject({ code: 'PAYMASTER_NOT_READY' });
    expect(await desk().tank(dapp)).toMatchObject({ contract: null, canWithdraw: false, level: 'unknown' });
    // Its tanks are filled by the same call, and nothing else of it is asked here.
    const chains = { chainId, rpc: 'http://127.0.0.1:1' };
    await service.call('chains.set', { ...chains, chainId: 100 });
    const elsewhere = await desk().engine().dapp({ version: '2.0.0', chainId: 100, fundingWallet: dapp.wallet });
    await service.call('paymasterContracts.use', { chainId: 100, version: '2.0.0', address: tanks });
    const withdrawal = withdrawalOf(elsewhere.paymasterId, 1n, dapp.wallet.address);
    await expect(call(withdrawal, dapp.wallet)).rejects.toMatchObject({
      code: 'TRANSACTION_WOULD_FAIL',
      message: expect.stringContaining('submitWithdrawalRequest'),
    });
    expect((await desk().tank(elsewhere)).canWithdraw).toBe(false);
  });
});
