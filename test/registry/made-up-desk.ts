/** Prints as JSON what a desk makes of what was added to its copy of src. Its argument: an empty folder for its data. */
import { join } from 'node:path';
import { HDNodeWallet } from 'ethers';
import { completionsAfter } from '../../src/core/conditions/completions.ts';
import { readableFacts } from '../../src/core/decision/record.ts';
import { replay } from '../../src/core/replay/replay.ts';
import { ruleName } from '../../src/core/decision/rule-words.ts';
import { withPaymasterAndData } from '../../src/core/user-operation/paymaster-fields.ts';
import { fromRpcUserOperation } from '../../src/core/user-operation/rpc-user-operation.ts';
import { systemClock } from '../../src/engine/base/clock.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { MANAGEMENT_PREFIX } from '../../src/engine/management/operations.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import { policySteps } from '../../src/renderer/src/modules/dapps/policy-steps.ts';
import type { Hex } from '../../src/shared/schema/hex.ts';
import { quickEngine } from '../support/quick-engine.ts';
import { entryPoint99 } from './entry-point-9.9.ts';

const dir = process.argv[2] ?? '';
const chainId = 31_337;
const sender = `0x${'5e'.repeat(20)}`;

const engine = await quickEngine(dir);
const { service } = engine;
const url = await engine.serve();
const ask = async (method: string, path: string, body?: unknown, headers = {}): Promise<unknown> => {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...sent,
  });
  return response.json();
};

await service.call('paymasterContracts.use', { chainId, version: '1.1.0', address: `0x${'cc'.repeat(20)}` });
await service.call('signers.create', { chainId });
const accountId = (await service.call('accounts.list', {}))[0]?.accountId;
const dapp = { accountId, name: 'Game', type: 'HYBRID', chainId, version: '1.1.0' };
const { paymasterId, apiKey } = await service.call('paymasters.create', dapp);
const wallet = HDNodeWallet.fromPhrase('test test test test test test test test test test test junk');
const { fundingMessage } = await service.call('paymasters.fundingMessage', { paymasterId });
const signature = await wallet.signMessage(fundingMessage);
await service.call('paymasters.setFundingWallet', {
  paymasterId,
  type: 'paymasterFundingId',
  signature,
  address: wallet.address,
});
const { authToken } = await service.call('authTokens.create', { accountId, label: 'test' });

const path = `${MANAGEMENT_PREFIX}/paymaster-policy`;
const headers = { authToken, apiKey };
const rule = (policyData: unknown) => ({ name: 'Barred', policyType: 'SENDER_LIST', policyData });
const refused = await ask('POST', path, rule({ senders: 'all' }), headers);
const created = await ask('POST', path, rule({ senders: [sender] }), headers);
const rpc = (method: string, params: unknown[]): Promise<unknown> =>
  ask('POST', `/api/v1/${chainId}/${apiKey}`, { jsonrpc: '2.0', id: 1, method, params });
const op = {
  sender,
  nonce: '0x0',
  initCode: '0x',
  callData: '0x',
  signature: '0x',
  callGasLimit: '200000',
  verificationGasLimit: '500000',
  preVerificationGas: '60000',
  maxFeePerGas: '0x3b9aca00',
  maxPriorityFeePerGas: '0x1',
};
const answered = await rpc('pm_sponsorUserOperation', [op, { mode: 'SPONSORED' }]);
const echoed = await rpc('pm_echo', ['hello']);

/** What becomes of a DApp whose paymaster contract is for the new EntryPoint. */
const askNewEntryPoint = async () => {
  const version = 'verifying-9.9';
  await service.call('paymasterContracts.use', { chainId, version, address: `0x${'cd'.repeat(20)}` });
  const own = await service.call('paymasters.create', { ...dapp, name: 'Newer', version });
  const { initCode: _, ...sent } = op;
  const askOwn = (method: string, ...params: unknown[]): Promise<unknown> =>
    ask('POST', `/api/v1/${chainId}/${own.apiKey}`, { jsonrpc: '2.0', id: 1, method, params });
  const supported = await askOwn('pm_supportedEntryPoints');
  const sponsor = (one: object): Promise<unknown> => askOwn('pm_sponsorUserOperation', one, { mode: 'SPONSORED' });
  const misfit = await sponsor({ ...sent, factory: '0x7702' });
  await sponsor(sent);
  const [signed] = await service.call('decisions.list', { paymasterId: own.paymasterId });
  const shown = await service.call('decisions.show', { decisionId: signed?.id ?? '' });
  const decided = fromRpcUserOperation(readableFacts(shown)?.op ?? {});
  const { address, hash } = entryPoint99;
  const userOpHash = hash(withPaymasterAndData(decided, shown.paymasterAndData as Hex), {
    chainId,
    entryPoint: address,
  });
  const values = [address, JSON.stringify({ params: [sent, address] }), 'AA89'];
  const inspected = await Promise.all(values.map((value) => service.call('inspect.value', { value, chainId })));
  return {
    supported,
    misfit,
    shown,
    userOpHash,
    completions: completionsAfter('op.entryPoint == "', []).options,
    inspected: inspected.map(({ title }) => title),
  };
};
const newEntryPoint = await askNewEntryPoint();

const [openapi, openrpc] = [await ask('GET', '/openapi.json'), await ask('GET', '/openrpc.json')];
const [row] = await service.call('decisions.list', { rule: 'senderList' });
const decision = await service.call('decisions.show', { decisionId: row?.id ?? '' });
const { html } = await service.call('decisions.report', { rule: 'senderList' });
const [listed] = await service.call('rules.list', { paymasterId });
const { text } = await service.call('policies.export', { paymasterId });
const another = text.replace(sender, `0x${'6f'.repeat(20)}`);
const policyFile = { text, ...(await service.call('policies.apply', { paymasterId, text: another })) };
await engine.stop();

const store = openSqliteStore(join(dir, 'gasdesk.db'), { clock: systemClock, log: createLog({ level: 'silent' }) });
/** What a decision comes to when it is decided again, where that is something else. */
const differencesOf = async (one: typeof decision): Promise<readonly unknown[]> => {
  const policy = await store.findPolicy(one.policy ?? '');
  const replayed = replay(one, policy, { engine: one.engine ?? '', withSignatures: true });
  return 'differences' in replayed ? replayed.differences : [replayed];
};
const differences = [...(await differencesOf(decision)), ...(await differencesOf(newEntryPoint.shown))];
await store.close();
const steps = policySteps({ rules: listed ? [listed] : [], webhooks: [], coin: 'ETH' });
const console = {
  added: steps.flatMap(({ title, add, entries }) =>
    add === undefined ? [] : [[title, add, ...entries.map(({ sentence }) => sentence)]],
  ),
  title: ruleName(row?.rule ?? ''),
};
process.stdout.write(
  JSON.stringify({
    refused,
    created,
    answered,
    echoed,
    openapi,
    openrpc,
    html,
    console,
    policyFile,
    trace: decision.trace,
    differences,
    newEntryPoint,
  }),
);
