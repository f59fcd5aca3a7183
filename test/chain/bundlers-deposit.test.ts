import { parseEther, toQuantity } from 'ethers';
import { beforeAll, describe, expect, test } from 'vitest';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import { contractAt } from '../../src/demo/world-contracts.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { signDraft, useOperatorDesk } from '../support/operator-desk.ts';
import { FEE, gameCall, operation } from '../support/operations.ts';

/**
 * ERC-7562, EREP-010: a bundler refuses operations of a paymaster whose maximum costs together exceed its deposit at the
 * EntryPoint, and counts the refused ones against it. One bundler may have all operations of a contract.
 */
const desk = useOperatorDesk();
const EXPIRED_SECONDS = 300 + 150;
const GAS = { callGasLimit: 200_000n, verificationGasLimit: 500_000n, preVerificationGas: 60_000n };

/** An operation that a bundler may have, with the maximum cost that it computes (EntryPoint v0.6). */
interface Pooled {
  readonly prefundWei: bigint;
  /** Unix seconds. */
  readonly validUntil: number;
}

beforeAll(async () => {
  // What binds here is the deposit alone: no share of it, and no breaker.
  const { service } = desk().engine();
  await service.call('config.set', { key: 'outstandingSharePercent', value: 100 });
  await service.call('chains.set', { chainId: desk().chain.chainId, breaker: null });
});

let nonces = 0n;

/** Asks for an operation, whose size differs from that of the one before. @returns undefined if it is denied */
const pooledBy = async (dapp: SponsoredDapp): Promise<Pooled | undefined> => {
  const nonce = (nonces += 1n) << 64n;
  const callGasLimit = GAS.callGasLimit + 10_000n * (nonces % 7n);
  const mint = { to: desk().contracts.gameItems, data: gameCall('mint') };
  const sent = operation(mint, { nonce: toQuantity(nonce), callGasLimit: String(callGasLimit) });
  const { body } = await dapp.sponsor(sent);
  const { paymasterAndData, reason } = body.result!;
  if (paymasterAndData === '0x') {
    expect(reason?.code).toBe('GAS_TANK_EMPTY');
    return undefined;
  }
  const prefundWei = (callGasLimit + 3n * GAS.verificationGasLimit + GAS.preVerificationGas) * FEE;
  return { prefundWei, validUntil: Math.floor(desk().clock.now() / 1_000) + 300 };
};

const depositOf = async (contract: Address): Promise<bigint> => {
  const entryPoint = await contractAt('EntryPoint', entryPoints['0.6'].address, desk().chain.provider);
  return (await entryPoint.getFunction('balanceOf')(contract)) as bigint;
};

describe.each([
  ['verifying-0.6', 'one deposit'],
  ['1.1.0', 'a tank for each funding wallet'],
])('the operations of three DApps on one contract of version %s, with %s', (version) => {
  test('never cost a bundler that has all of them more than the deposit, whatever is withdrawn meanwhile', async () => {
    const { chain, clock, engine, operator } = desk();
    const contract = await desk().attach(version);
    const first = await desk().dapp(version);
    const others = [
      await desk().dapp(version),
      { ...(await engine().dapp({ version, fundingWallet: first.wallet })), wallet: first.wallet },
    ];
    const dapps = [first, ...others];
    const owner = version === '1.1.0' ? first.wallet : operator;
    const { paymasterId } = first;
    const deposit = (dapp: typeof first, amount: bigint) => {
      const action = { kind: 'deposit', paymasterId: dapp.paymasterId, amountWei: String(amount) } as const;
      return desk().send(action, dapp.wallet);
    };
    let pool: Pooled[] = [];
    const fill = async (): Promise<number> => {
      const asked = await Promise.all(Array.from({ length: 36 }, (_, index) => pooledBy(dapps[index % 3]!)));
      const pooled = asked.flatMap((one) => one ?? []);
      pool.push(...pooled);
      return pooled.length;
    };
    /** The same, once more, after the desk had the time to look at the chain. */
    const refill = async (): Promise<number> => {
      await clock.advance(10_000);
      return fill();
    };
    const pooledWei = (): bigint => pool.reduce((sum, { prefundWei }) => sum + prefundWei, 0n);
    const withdrawal = {
      kind: 'withdraw',
      paymasterId,
      amountWei: String(parseEther('0.01')),
      to: owner.address,
    } as const;

    await deposit(first, parseEther('0.02'));
    await deposit(others[0]!, parseEther('0.013'));
    // A withdrawal and many requests at the same moment: what it takes is not reserved.
    const draft = await desk().prepare(withdrawal, owner);
    await desk().hold();
    const signed = { signedTransaction: await signDraft(draft, owner) };
    const [sent, filled] = await Promise.all([
      engine()
        .service.call('transactions.send', { draftId: draft.draftId, signed })
        .catch(() => undefined),
      fill(),
    ]);
    expect(filled).toBeGreaterThan(0);
    const leaving = sent === undefined ? 0n : parseEther('0.01');
    expect(pooledWei()).toBeLessThanOrEqual((await depositOf(contract)) - leaving);
    await desk().mine();
    expect(pooledWei()).toBeLessThanOrEqual(await depositOf(contract));

    // Filled to the last operation that fits; a withdrawal of what is reserved is refused.
    while ((await fill()) > 0);
    await expect(desk().prepare(withdrawal, owner)).rejects.toMatchObject({ code: 'TRANSACTION_WOULD_FAIL' });
    await deposit(first, parseEther('0.005'));
    await expect.poll(refill).toBeGreaterThan(0);
    while ((await fill()) > 0);
    const room = (await depositOf(contract)) - pooledWei();
    expect(room).toBeGreaterThanOrEqual(0n);
    expect(room).toBeLessThan(parseEther('0.004'));

    // Bundlers drop what has expired, and only then is it signed for again.
    const now = Math.ceil(clock.now() / 1_000) + EXPIRED_SECONDS;
    await chain.provider.send('evm_setNextBlockTimestamp', [now]);
    await chain.provider.send('evm_mine', []);
    await clock.advance(EXPIRED_SECONDS * 1_000);
    pool = pool.filter(({ validUntil }) => validUntil >= now);
    await expect.poll(refill).toBeGreaterThan(0);
    while ((await fill()) > 0);
    expect(pooledWei()).toBeLessThanOrEqual(await depositOf(contract));
  });
});
