import { HDNodeWallet } from 'ethers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClock } from '../../src/engine/base/clock.ts';
import { ManualMachine } from '../support/manual-machine.ts';
import { codeOf, codesOf } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import { type ServingEngine, type SponsoredDapp, startEngine } from '../support/engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const HOUR = 3_600_000;
const GWEI = 10n ** 9n;
/** Wei that one operation may cost: 1,000,000 gas for a gwei each. */
const COST = 1_000_000n * GWEI;
const chainId = 31337;
const fundingWallet = HDNodeWallet.fromPhrase('test test test test test test test test test test test junk');
const op = (nonce: number): Record<string, unknown> =>
  operation(
    { to: `0x${'11'.repeat(20)}`, data: '0x12345678' },
    {
      nonce,
      callGasLimit: '987996',
      verificationGasLimit: '1',
      preVerificationGas: '1',
      maxFeePerGas: String(GWEI),
      maxPriorityFeePerGas: '0',
    },
  );

let machine: ManualMachine;
let engine: ServingEngine;
let dapp: SponsoredDapp;
beforeEach(async () => {
  machine = new ManualMachine();
  const flags = { settlementPollMs: 600_000, requestTimeoutMs: 600_000 };
  engine = await startEngine({ dir: tempFolder(), clock: createClock(machine), flags });
  await engine.service.call('paymasterContracts.use', { chainId, version: '1.1.0', address: `0x${'cc'.repeat(20)}` });
  await engine.service.call('signers.create', { chainId });
  dapp = await engine.dapp({ fundingWallet });
});
afterEach(() => engine.stop());

const signed = async (): Promise<bigint> =>
  (await dapp.decisions())
    .filter(({ outcome }) => outcome === 'sponsored')
    .reduce((sum, { maxCostWei }) => sum + BigInt(maxCostWei!), 0n);
const check = async () => {
  const { checks } = await engine.service.call('system.doctor', {});
  return checks.find(({ name }) => name === 'clock')!;
};

test('no more than the breaker allows is signed while the machine is set two hours ahead and back', async () => {
  await engine.service.call('chains.set', { chainId, breaker: { amountWei: String(10n * COST), seconds: 3_600 } });
  for (let nonce = 0; nonce < 9; nonce += 1) expect(codeOf(await dapp.sponsor(op(nonce)))).toBe('SPONSORED');
  machine.set(2 * HOUR);
  machine.pass(1_000);
  expect(codeOf(await dapp.sponsor(op(9)))).toBe('SPONSORED');
  machine.set(-2 * HOUR);
  machine.pass(1_000);
  const replies = await Promise.all(Array.from({ length: 10 }, (_, nonce) => dapp.sponsor(op(10 + nonce))));
  expect(codesOf(replies)).not.toHaveProperty('SPONSORED');
  expect(await signed()).toBe(10n * COST);
});

test('a limit does not restart because the clock of the machine is set a window ahead', async () => {
  const policyData = {
    type: 'PAYMASTER',
    thresholdType: 'COUNT',
    threshold: 2,
    cycleDuration: { value: 1, unit: 'hour' },
  };
  const rule = { name: 'Two', policyType: 'PAYMASTER_SA_LIMIT', policyData };
  await engine.service.call('rules.create', { paymasterId: dapp.paymasterId, rule });
  expect([codeOf(await dapp.sponsor(op(0))), codeOf(await dapp.sponsor(op(1)))]).toEqual(['SPONSORED', 'SPONSORED']);
  machine.set(HOUR);
  expect(codeOf(await dapp.sponsor(op(2)))).toBe('LIMIT_REACHED');
  // An hour of sleep is an hour.
  machine.sleep(HOUR);
  machine.pass(1_000);
  expect(codeOf(await dapp.sponsor(op(3)))).toBe('SPONSORED');
});

test.each([
  ['ahead of', 2 * HOUR],
  ['behind', -2 * HOUR],
])('doctor reports that the machine was set two hours %s the service', async (where, byMs) => {
  expect(await check()).toMatchObject({ ok: true });
  machine.set(byMs);
  expect(await check()).toMatchObject({
    ok: false,
    detail: expect.stringContaining(`This computer's clock was set 2 hours ${where} the service's own time`) as string,
    fix: expect.stringContaining('restart the service') as string,
  });
});
