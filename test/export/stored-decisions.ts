import { systemClock } from '../../src/engine/base/clock.ts';
import type { DataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import type { DecisionDraft } from '../../src/engine/store/decision-store.ts';
import type { Store } from '../../src/engine/store/store.ts';

/** When the first decision of {@link draft} is made; each later one a second later. */
export const START = Date.UTC(2026, 0, 1);

/** DApps of {@link storeDecisions}. */
export const DAPPS = ['dapp-0', 'dapp-1', 'dapp-2'] as const;

/** A smart account, in the letter case of a checksum. */
export const sender = (number: number): `0x${string}` => `0x${'Ab'.repeat(18)}${String(number).padStart(4, '0')}`;

/** The n-th decision, about 4 kB: three DApps, seven senders, every third denied by one of two rules, some errors. */
export const draft = (n: number): DecisionDraft => {
  const outcome = n % 3 === 0 ? 'denied' : n % 50 === 1 ? 'error' : 'sponsored';
  const paymasterId = DAPPS[n % DAPPS.length] ?? '';
  return {
    id: `decision-${n}`,
    at: START + n * 1000,
    method: 'pm_sponsorUserOperation',
    mode: 'SPONSORED',
    chainId: 31337,
    entryPoint: '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
    paymasterId,
    dapp: 'Game',
    sender: sender(n % 7).toLowerCase(),
    nonce: String(n),
    userOpHash: null,
    outcome,
    code: outcome.toUpperCase(),
    rule: outcome === 'denied' ? (n % 2 === 0 ? 'contracts' : 'spendingLimit') : null,
    message: 'A message',
    hint: '',
    paymasterAndData: '0x',
    validAfter: null,
    validUntil: null,
    maxCostWei: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
    actualCostWei: null,
    settlement: null,
    request: { received: [{ callData: `0x${'ab'.repeat(1_800)}` }] },
    trace: [{ rule: 'contracts', outcome: 'pass', code: 'OK', evidence: { requiredWei: '1' }, micros: 1 }],
  };
};

/** Opens the store of a folder. */
const openStore = (folder: DataFolder): Store =>
  openSqliteStore(folder.database, { clock: systemClock, log: createLog({ level: 'error' }) });

/** Puts decisions `1` to `count` into a new data folder. */
export const storeDecisions = async (folder: DataFolder, count: number): Promise<void> => {
  const store = openStore(folder);
  await store.createAccount({ accountId: 'account', name: 'Account', createdAt: START });
  for (const paymasterId of DAPPS) {
    const names = { paymasterId, accountId: 'account', name: paymasterId, apiKey: paymasterId };
    const rest = { chainId: 31337, version: '1.1.0', fundingWallet: null, createdAt: START };
    await store.createDapp({ ...names, ...rest, allowedOrigins: ['*'], maxExpirySeconds: 3_600, tokenMode: false });
  }
  await appendDecisions(store, 1, count);
  await store.close();
};

/** Appends decisions `first` to `last`, in shared transactions. */
const appendDecisions = async (store: Store, first: number, last: number): Promise<void> => {
  for (let n = first; n <= last; n += 1000) {
    const batch = Array.from({ length: Math.min(1000, last - n + 1) }, (_, index) => draft(n + index));
    await Promise.all(batch.map((decision) => store.appendDecision(decision)));
  }
};
