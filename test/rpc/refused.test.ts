import { beforeAll, describe, expect, test } from 'vitest';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import type { RpcReply, SponsoredDapp } from '../support/engine.ts';

const desk = useOfflineDesk();

const ENTRY_POINT = '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789';
const V07 = '0x0000000071727De22E5E9d8BAf0edAc6f37da032';
const CHAIN = '0x7a69';
const op = operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' });
const { sender } = op as { sender: string };

const ask = (apiKey: string, method: string, params: readonly unknown[]): Promise<RpcReply> =>
  desk().engine().post(`/api/v1/31337/${apiKey}`, { jsonrpc: '2.0', id: 1, method, params });

describe('the operator sees what is refused before it could be decided', () => {
  let dapp: SponsoredDapp;
  beforeAll(async () => {
    dapp = await desk().dapp();
  });

  test.each<[string, string, unknown[], string, object]>([
    [
      'another EntryPoint',
      'pm_getPaymasterData',
      [op, V07, CHAIN],
      'ENTRY_POINT_MISMATCH',
      { sender, nonce: '0', hint: expect.stringContaining('EntryPoint 0.6') },
    ],
    ['another EntryPoint', 'pm_sponsorUserOperation', [op, V07], 'ENTRY_POINT_MISMATCH', { sender }],
    [
      'another chain',
      'pm_getPaymasterStubData',
      [op, ENTRY_POINT, '0x1'],
      'CHAIN_MISMATCH',
      { sender, hint: expect.stringContaining('URL') },
    ],
    [
      'an operation of another generation',
      'pm_sponsorUserOperation',
      [{ ...op, factory: sender }, { mode: 'SPONSORED' }],
      'VALIDATION',
      { sender, message: expect.stringContaining('factory should not exist') },
    ],
    [
      'an operation of another generation',
      'pm_getFeeQuoteOrData',
      [{ ...op, factory: sender }, { mode: 'ERC20' }],
      'VALIDATION',
      { sender },
    ],
    [
      'half an operation',
      'pm_sponsorUserOperation',
      [{ sender }, { mode: 'SPONSORED' }],
      'VALIDATION',
      { sender, nonce: '' },
    ],
    ['no operation', 'pm_getPaymasterData', [null, ENTRY_POINT, CHAIN], 'VALIDATION', { sender: '', nonce: '' }],
    ['nothing', 'pm_sponsorUserOperation', [], 'VALIDATION', { sender: '', nonce: '' }],
    [
      'a sender that is none',
      'pm_getFeeQuoteOrData',
      [{ ...op, sender: 5 }, {}],
      'VALIDATION',
      { sender: '', nonce: '0' },
    ],
    ['options that are none', 'pm_sponsorUserOperation', [op, { mode: 'FREE' }], 'VALIDATION', { sender }],
  ])('%s by %s', async (_, method, params, code, facts) => {
    const before = await dapp.decisions();
    const { body } = await ask(dapp.apiKey, method, params);
    const [decision, ...others] = await dapp.decisions();
    expect(others).toEqual(before);
    expect(decision).toMatchObject({
      outcome: 'error',
      code,
      method,
      mode: '',
      message: body.error!.message,
      entryPoint: ENTRY_POINT,
      userOpHash: null,
      paymasterAndData: '0x',
      settlement: null,
      request: { received: params },
      trace: [],
      ...facts,
    });
    const { id: decisionId, seq } = decision!;
    expect(await desk().call('decisions.show', { decisionId })).toEqual(decision);
    expect(await desk().call('decisions.calls', { decisionId })).toMatchObject({
      calls: [],
      error: expect.any(String),
    });
    expect(await desk().call('decisions.page', { after: seq - 1, limit: 9 })).toMatchObject({ decisions: [decision] });
  });

  test('but nothing of who has no key of a DApp, nor what asks for no signature', async () => {
    const before = await desk().call('decisions.list', { limit: 1 });
    for (const method of ['pm_sponsorUserOperation', 'pm_getPaymasterData']) {
      expect((await ask('nobody', method, [])).body.error).toBeDefined();
    }
    expect((await ask(dapp.apiKey, 'pm_supportedERC20Tokens', ['0x1'])).body.error).toBeDefined();
    expect((await ask(dapp.apiKey, 'pm_nothing', [])).body.error).toBeDefined();
    expect(await desk().call('decisions.list', { limit: 1 })).toEqual(before);
  });
});
