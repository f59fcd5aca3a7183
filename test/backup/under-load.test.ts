import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HDNodeWallet } from 'ethers';
import { expect, onTestFinished, test } from 'vitest';
import { restoreBackup } from '../../src/engine/backup/restore.ts';
import { MANAGEMENT_PREFIX } from '../../src/engine/management/operations.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import type { DecisionRecord } from '../../src/shared/schema/decision.ts';
import { codeOf } from '../support/offline-desk.ts';
import { operation, sponsorRequest } from '../support/operations.ts';
import { type ServingEngine, startEngine } from '../support/engine.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { wholeDecisions } from '../support/whole-decisions.ts';

const tempFolder = useTempFolders();
const CHAIN_ID = 31337;
/** The passphrase of every test's engine: the restored vault has to open with it. */
const PASSPHRASE = 'correct horse battery staple';

const serving = async (dir: string, clock: ManualClock): Promise<ServingEngine> => {
  const engine = await startEngine({ dir, clock, flags: { settlementPollMs: 600_000 } });
  onTestFinished(() => engine.stop());
  return engine;
};

const sponsor = (desk: ServingEngine, apiKey: string, nonce: number) => {
  const op = operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }, { nonce });
  return desk.post(`/api/v1/${CHAIN_ID}/${apiKey}`, sponsorRequest([op, { mode: 'SPONSORED' }]));
};

const allDecisions = async ({ service }: ServingEngine): Promise<DecisionRecord[]> =>
  (await wholeDecisions((name, input) => service.call(name, input))).reverse();

/** Everything an operator or a developer set up, as the desk reports it. */
const setUp = async ({ service }: ServingEngine, paymasterId: string) => ({
  accounts: await service.call('accounts.list', {}),
  tokens: await service.call('authTokens.list', {}),
  paymasters: await service.call('paymasters.list', {}),
  contracts: await service.call('contracts.list', { paymasterId }),
  rules: await service.call('rules.list', { paymasterId }),
  webhooks: await service.call('webhooks.list', { paymasterId }),
  chains: await service.call('chains.list', {}),
  signers: await service.call('signers.list', {}),
  paymasterContracts: await service.call('paymasterContracts.list', {}),
  feeTokens: await service.call('feeTokens.list', {}),
});

test('a desk lost right after a backup under load comes back with its decisions, limits, reservations, keys, tokens and webhooks', async () => {
  const dir = tempFolder();
  const clock = new ManualClock();
  const desk = await serving(dir, clock);
  const { service } = desk;
  writeFileSync(join(dir, 'gasdesk.json'), '{"webhookTimeoutMs": 1234}');
  await service.call('chains.set', { chainId: CHAIN_ID, name: 'Local' });
  await service.call('signers.create', { chainId: CHAIN_ID });
  await service.call('paymasterContracts.use', {
    chainId: CHAIN_ID,
    version: '1.1.0',
    address: `0x${'cc'.repeat(20)}`,
  });
  const { authToken } = await service.call('authTokens.create', { label: 'backend' });
  const { paymasterId, apiKey } = await desk.dapp({ fundingWallet: HDNodeWallet.createRandom() });
  const hook = { paymasterId, webhookUrl: 'https://hooks.example/verify', requestType: 'POST' };
  const { webhookId } = await service.call('webhooks.create', hook);
  await service.call('webhooks.update', { paymasterId, webhookId, active: false });
  const THRESHOLD = 3_000;
  const limit = { type: 'PAYMASTER', cycleDuration: { value: 1, unit: 'day' }, threshold: THRESHOLD };
  const rule = { name: 'Many', policyType: 'PAYMASTER_SA_LIMIT', policyData: { ...limit, thresholdType: 'COUNT' } };
  await service.call('rules.create', { paymasterId, rule });
  for (let nonce = 0; nonce < 400; nonce += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => sponsor(desk, apiKey, nonce + index)));
  }

  const answeredBefore = 400;
  let isMade = false;
  let nonce = answeredBefore;
  const load = Array.from({ length: 8 }, async () => {
    while (!isMade) expect(codeOf(await sponsor(desk, apiKey, nonce++))).toBe('SPONSORED');
  });
  const made = await service.call('backups.create', { passphrase: PASSPHRASE }).finally(() => (isMade = true));
  await Promise.all(load);
  // One more, so that there is something that the backup cannot know.
  await sponsor(desk, apiKey, nonce++);
  expect(statSync(made.path).mode & 0o777).toBe(0o600);
  expect(existsSync(join(dir, 'backup.tmp'))).toBe(false);

  const fresh = join(tempFolder(), 'fresh');
  await restoreBackup({ file: made.path, passphrase: new Secret(PASSPHRASE), dir: fresh, now: Date.now });
  const restored = await serving(fresh, clock);
  expect(readFileSync(join(fresh, 'gasdesk.json'), 'utf8')).toBe('{"webhookTimeoutMs": 1234}');

  const [live, kept] = [await allDecisions(desk), await allDecisions(restored)];
  expect(kept.length).toBeGreaterThan(answeredBefore);
  expect(kept.length).toBeLessThan(live.length);
  expect(kept).toEqual(live.slice(0, kept.length));
  expect(await setUp(restored, paymasterId)).toEqual(await setUp(desk, paymasterId));
  const secretOf = (engine: ServingEngine) => engine.service.call('webhooks.secret', { webhookId });
  expect(await secretOf(restored)).toEqual(await secretOf(desk));
  const authorised = await fetch(`${restored.url}${MANAGEMENT_PREFIX}/paymaster`, { headers: { authToken } });
  expect(authorised.status).toBe(200);

  // Unsettled reservations stay: the limit has counted every decision in the backup.
  expect(codeOf(await sponsor(restored, apiKey, nonce++))).toBe('SPONSORED');
  const newest = (await allDecisions(restored)).at(-1);
  const counted = newest?.trace.find(({ code }) => code === 'LIMIT_HAS_ROOM');
  expect(counted?.evidence).toMatchObject({ used: String(kept.length), threshold: String(THRESHOLD) });
  expect(new Set(kept.map(({ settlement }) => settlement))).toEqual(new Set(['reserved']));
});
