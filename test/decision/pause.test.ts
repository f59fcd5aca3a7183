import { beforeEach, describe, expect, test } from 'vitest';
import type { ProcedureOutput } from '../../src/api/index.ts';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';

const desk = useOfflineDesk();
const TOKEN = `0x${'70'.repeat(20)}`;
const op = (overrides: Record<string, unknown> = {}): Record<string, unknown> =>
  operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }, overrides);
const pause = (reason?: string): Promise<unknown> =>
  desk().call('system.pause', reason === undefined ? {} : { reason });
const resume = (): Promise<unknown> => desk().call('system.resume', {});
const paused = async () => (await desk().call<ProcedureOutput<'system.info'>>('system.info', {})).paused;

let dapp: SponsoredDapp;
beforeEach(async () => {
  await resume();
  dapp = await desk().dapp();
});

const ask = (method: string, params: readonly unknown[]) =>
  desk().engine().post(`/api/v2/31337/${dapp.apiKey}`, { jsonrpc: '2.0', id: 1, method, params });

describe('while all sponsorship is paused', () => {
  test('nothing is signed; the denial says how to resume, is stored, and takes nothing from a limit', async () => {
    await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 1 });
    await pause('Key rotation');
    const reply = await dapp.sponsor(op());
    expect(codeOf(reply)).toBe('SPONSORSHIP_PAUSED');
    expect(reply.body.result?.reason).toMatchObject({ rule: 'pause', hint: expect.stringContaining('gasdesk resume') });
    // The operator's own words are not for those who ask.
    expect(JSON.stringify(reply.body)).not.toContain('Key rotation');
    const [decision] = await dapp.decisions();
    expect(decision).toMatchObject({ outcome: 'denied', rule: 'pause', paymasterAndData: '0x', userOpHash: null });
    expect(decision?.trace[0]).toMatchObject({ rule: 'pause', outcome: 'deny', evidence: { reason: 'Key rotation' } });
    // The other rules were looked at all the same.
    expect(decision?.trace.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['contracts', 'spendingLimit']));
    await resume();
    expect(codeOf(await dapp.sponsor(op()))).toBe('SPONSORED');
  });

  test('gas is not estimated either: that would need a signature', async () => {
    await pause();
    expect(codeOf(await dapp.sponsor(op(), { calculateGasLimits: true }))).toBe('SPONSORSHIP_PAUSED');
    expect((await dapp.decisions())[0]?.trace[1]).toMatchObject({ code: 'GAS_NOT_ESTIMATED' });
  });

  test('a stub is refused, and so is an operation paid in a token, and its quote', async () => {
    await desk().call('feeTokens.set', {
      chainId: 31337,
      address: TOKEN,
      symbol: 'USDT',
      decimals: 6,
      premium: '10',
      rate: { source: 'static', tokensPerCoin: '3000' },
    });
    await desk().call('paymasterContracts.use', {
      chainId: 31337,
      version: '1.1.0-token',
      address: `0x${'7a'.repeat(20)}`,
    });
    await pause();
    const tokenInfo = { feeTokenAddress: TOKEN };
    const refused = [
      await ask('pm_getPaymasterStubData', [op(), entryPoints['0.6'].address, '0x7a69']),
      await ask('pm_sponsorUserOperation', [op(), { mode: 'ERC20', tokenInfo }]),
      await ask('pm_getFeeQuoteOrData', [op(), { mode: 'ERC20', tokenInfo }]),
    ];
    for (const { body } of refused) {
      expect(body.error).toMatchObject({ code: -32050, data: { code: 'SPONSORSHIP_PAUSED', rule: 'pause' } });
    }
    const either = await ask('pm_getFeeQuoteOrData', [op(), { tokenInfo }]);
    expect(either.body.result?.reason?.code).toBe('SPONSORSHIP_PAUSED');
  });

  test('a restart stays paused, since the same moment and for the same reason', async () => {
    await pause('Key rotation');
    const before = await paused();
    expect(before).toEqual({ since: desk().clock.now(), reason: 'Key rotation' });
    await desk().clock.advance(60_000);
    await pause();
    await desk().restart();
    expect(await paused()).toEqual(before);
    expect(codeOf(await dapp.sponsor(op()))).toBe('SPONSORSHIP_PAUSED');
  });
});

test('of operations on their way none is signed once the pause is answered', async () => {
  const onTheirWay = Array.from({ length: 200 }, (_, nonce) => dapp.sponsor(op({ nonce })));
  await pause();
  const signedBefore = (await dapp.decisions()).filter(({ outcome }) => outcome === 'sponsored').length;
  const codes = (await Promise.all(onTheirWay)).map(codeOf);
  expect(codes).toContain('SPONSORSHIP_PAUSED');
  const signed = (await dapp.decisions()).filter(({ outcome }) => outcome === 'sponsored').length;
  expect(signed).toBe(signedBefore);
});
