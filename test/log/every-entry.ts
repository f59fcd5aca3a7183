import { join } from 'node:path';
import { exportedLog } from '../../src/api/log-export.ts';
import type { Caller } from '../../src/api/index.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/engine/store/store.ts';
import type { DecisionRecord } from '../../src/shared/schema/decision.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { type OfflineDesk, codeOf } from '../support/offline-desk.ts';
import { RESERVED_WEI, gameCall, operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const CHAIN_ID = 31337;
const GAME: Address = `0x${'aa'.repeat(20)}`;

let nonce = 0;
const op = (overrides: Record<string, unknown> = {}) => {
  nonce += 1;
  const call = { to: GAME, data: gameCall('mint', BigInt(nonce)) };
  return operation(call, { nonce: `0x${nonce.toString(16)}`, ...overrides });
};

/** What the EntryPoint would say of a decision's operation. */
const minedOf = ({ userOpHash, entryPoint, paymasterAndData, sender, nonce: at }: DecisionRecord, block: number) => ({
  userOpHash: userOpHash as Hex,
  entryPoint: entryPoint as Address,
  paymaster: paymasterAndData.slice(0, 42) as Address,
  sender: sender as Address,
  nonce: BigInt(at),
  success: true,
  actualGasCost: RESERVED_WEI / 3n,
  actualGasUsed: 1n,
  blockNumber: block,
  blockHash: `0x${'bb'.repeat(32)}` as const,
  transactionHash: `0x${'cc'.repeat(32)}` as const,
});

/** Settles what was sponsored in every way there is, as a chain would have it. */
const settleAll = async (store: Store, sponsored: readonly DecisionRecord[]): Promise<void> => {
  const [first, second, third, fourth] = sponsored;
  if (!first || !second || !third || !fourth) throw new Error('Four operations must be sponsored');
  const range = (mined: readonly ReturnType<typeof minedOf>[], toBlock: number) =>
    store.applySettlements({ chainId: CHAIN_ID, fromBlock: 10, toBlock, mined, cursor: toBlock });
  await range([minedOf(first, 11), minedOf(second, 12)], 12);
  // A re-org takes the second back, and something else is mined in place of the third.
  await range([minedOf(first, 11), { ...minedOf(third, 12), userOpHash: `0x${'dd'.repeat(32)}` }], 12);
  await store.endReservations([fourth.seq], 'released');
};

const withHold = async (store: Store): Promise<void> => {
  const account = { kind: 'tank', id: `${CHAIN_ID}:0xabc` } as const;
  const reservations = [{ account, kind: 'tank' as const, amount: 5n }];
  await store.withHold(
    { reservations, ledgerVersion: await store.ledgerVersion() },
    () => undefined,
    async () => 1,
  );
};

const LONG = () => op({ callData: `0x${'00'.repeat(20_000)}` });

const outcomes = async (dapp: SponsoredDapp): Promise<void> => {
  for (let count = 0; count < 5; count += 1) {
    const code = codeOf(await dapp.sponsor(op(), { sponsorshipInfo: { webhookData: { count } }, policyId: 'p' }));
    if (code !== 'SPONSORED') throw new Error(`It is not sponsored: ${code}`);
  }
  // One is too long to be kept whole, one cannot be read, and one fails.
  await dapp.sponsor(LONG());
  await dapp.sponsor(op({ callData: 'none' }));
  await dapp.sponsor(op(), { calculateGasLimits: true });
};

/** Has a desk enter each kind of entry and each outcome of decisions in its log, which it answers line by line. */
export const everyEntry = async (desk: OfflineDesk): Promise<string[]> => {
  const call: Caller = (name, input) => desk.call(name, input);
  const dapp = await desk.dapp();
  const { paymasterId } = dapp;
  const { url } = await startReceiver((_, response) => response.end('{"arePoliciesVerified":true}'));
  await call('webhooks.create', { paymasterId, webhookUrl: `${url}/hook?of=game`, requestType: 'GET' });
  await call('chains.set', {
    chainId: CHAIN_ID,
    breaker: { amountWei: String(10n ** 24n), seconds: 3_600 },
    price: { source: 'static', usd: '3000' },
  });
  await desk.limit(dapp, { thresholdType: 'COUNT', threshold: 50, type: 'SMART_ACCOUNT' });
  await desk.limit(dapp, { thresholdType: 'USD', threshold: 5_000 });
  await outcomes(dapp);
  const sponsored = (await dapp.decisions()).filter(({ outcome }) => outcome === 'sponsored').toReversed();
  await desk.restart(async () => {
    const file = join(desk.dir, 'gasdesk.db');
    const store = openSqliteStore(file, { clock: desk.clock, log: createLog({ level: 'error' }) });
    await settleAll(store, sponsored);
    await withHold(store);
    await store.close();
  });
  const ruleId = await desk.limit(dapp, { thresholdType: 'COUNT', threshold: 1, name: 'Strict' });
  if (codeOf(await dapp.sponsor(op())) !== 'SPONSORED') throw new Error('It is not sponsored');
  if (codeOf(await dapp.sponsor(op())) !== 'LIMIT_REACHED') throw new Error('It is not denied');
  if (codeOf(await dapp.sponsor(LONG())) !== 'LIMIT_REACHED') throw new Error('It is not denied');
  await call('rules.delete', { paymasterId, ruleId });
  await dapp.sponsor(op());
  let text = '';
  for await (const part of exportedLog(call)) text += part;
  return text.split('\n').slice(1, -2);
};
