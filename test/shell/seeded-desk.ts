import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/engine/base/clock.ts';
import { loadConfig } from '../../src/engine/config/config.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { createEngine } from '../../src/engine/index.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import type { DecisionDraft } from '../../src/engine/store/decision-store.ts';
import { explainDenial } from '../../src/core/decision/rule-words.ts';

/** Passphrase of the seeded vault. */
export const PASSPHRASE = 'correct horse battery staple';

/** A DApp whose name would take over the page if the page took names for markup. */
export const HOSTILE_NAME = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

const ENTRY_POINT = '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789';
const ITEMS = '0x4a7d1f5e9c3b28604f6d8a1e7b90c2d35f86e041';
const MINUTE_MS = 60_000;

const log = createLog({ level: 'silent' });

/** The API key of the DApp `Game Items`, through which requests come in. */
export interface SeededDesk {
  readonly apiKey: string;
}

const decision = (
  dapp: { paymasterId: string; name: string },
  minutesAgo: number,
  rest: Partial<DecisionDraft>,
): DecisionDraft => ({
  // No engine gives such ids: these were never decided, and no one can decide them again.
  id: `seeded-${minutesAgo}`,
  at: systemClock.now() - minutesAgo * MINUTE_MS,
  method: 'pm_sponsorUserOperation',
  mode: 'SPONSORED',
  chainId: 31337,
  entryPoint: ENTRY_POINT,
  paymasterId: dapp.paymasterId,
  dapp: dapp.name,
  sender: '0x71c7656ec7ab88b098defb751b7401b5f6d8976f',
  nonce: '4',
  userOpHash: null,
  outcome: 'denied',
  code: 'DENIED',
  rule: 'contracts',
  message: '',
  hint: '',
  paymasterAndData: '0x',
  validAfter: null,
  validUntil: null,
  maxCostWei: '1260000000000000',
  actualCostWei: null,
  settlement: null,
  request: {},
  trace: [],
  ...rest,
});

/** Fills the data folder of an application that will start on `dataHome`: two DApps, and a decision of each outcome. */
export const seedDesk = async (dataHome: string): Promise<SeededDesk> => {
  const dir = join(dataHome, 'gasdesk');
  mkdirSync(dir, { recursive: true });
  const folder = openDataFolder(dir);
  const passphrase = new Secret(PASSPHRASE);
  const scrypt = { N: 1024, r: 8, p: 1 };
  const engine = await createEngine({ folder, config: loadConfig({}), log, passphrase, scrypt });
  const [account] = await engine.service.run('accounts.list', {});
  if (account === undefined) throw new Error('The desk has no account');
  const type = 'HYBRID';
  const definition = {
    accountId: account.accountId,
    type,
    chainId: 31337,
    version: '1.1.0',
    tokenMode: false,
  } as const;
  const items = await engine.service.run('paymasters.create', { ...definition, name: 'Game Items' });
  const hostile = await engine.service.run('paymasters.create', { ...definition, name: HOSTILE_NAME });
  await engine.stop();

  const evidence = { target: ITEMS, contract: 'Items', method: 'burn(uint256)' };
  const drafts = [
    decision(hostile, 190, {
      outcome: 'error',
      code: 'CHAIN_UNREACHABLE',
      message: `${HOSTILE_NAME} cannot be reached`,
    }),
    decision(items, 12, { outcome: 'sponsored', code: 'SPONSORED', settlement: 'reserved' }),
    decision(items, 3, {
      outcome: 'denied',
      code: 'METHOD_NOT_WHITELISTED',
      ...explainDenial('METHOD_NOT_WHITELISTED', evidence),
    }),
  ];
  const store = openSqliteStore(folder.database, { clock: systemClock, log });
  for (const draft of drafts) await store.appendDecision(draft);
  await store.close();
  return { apiKey: items.apiKey };
};
