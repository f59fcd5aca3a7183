import { expect, test } from 'vitest';
import type { ProcedureOutput } from '../../api/index.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { createLog } from '../base/log.ts';
import { type MetricsContext, createMetrics } from './metrics.ts';

const clock = new ManualClock();
const context: MetricsContext = {
  store: {
    logSize: () => Promise.resolve(7),
    settlementChains: () => Promise.resolve([1, 2]),
    outstandingReservations: () =>
      Promise.resolve([{ paymasterId: 'dapp-1', chainId: 1, reservedWei: 5n * 10n ** 17n, operations: 3 }]),
  },
  clock,
  log: createLog({ level: 'silent' }),
  folder: { dir: '/data' },
  freeBytes: () => Promise.resolve(5n * 2n ** 20n),
  isLeader: () => true,
  continuousBackup: { state: () => ({ target: null, copiedAt: null, behindMs: 0, error: null }) },
  polledAt: (chainId) => (chainId === 1 ? clock.now() - 1_500 : undefined),
};
const own = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('gasdesk_'));

test('values from the store are current, and no older value is left', async () => {
  const metrics = createMetrics(clock);
  expect(own(await metrics.text(context))).toEqual([
    'gasdesk_reserved_wei{chain="1",dapp="dapp-1"} 500000000000000000',
    'gasdesk_reserved_operations{chain="1",dapp="dapp-1"} 3',
    'gasdesk_settlement_lag_seconds{chain="1"} 1.5',
    'gasdesk_log_entries 7',
    'gasdesk_disk_free_bytes 5242880',
  ]);
  const store = { ...context.store, outstandingReservations: () => Promise.resolve([]) };
  expect(own(await metrics.text({ ...context, store }))).toEqual([
    'gasdesk_settlement_lag_seconds{chain="1"} 1.5',
    'gasdesk_log_entries 7',
    'gasdesk_disk_free_bytes 5242880',
  ]);
});

test('tanks are reported by the engine that looks at them, and by no engine that did so earlier', async () => {
  const metrics = createMetrics(clock);
  const tank = { balanceWei: '9', freeWei: '7' };
  metrics.sawTanks({
    dapps: [{ chainId: 1, paymasterId: 'dapp-1', tank }],
  } as unknown as ProcedureOutput<'exposure.get'>);
  const tanks = async (isLeader: boolean) =>
    own(await metrics.text({ ...context, isLeader: () => isLeader })).filter((line) => line.includes('tank'));
  expect(await tanks(true)).toEqual([
    'gasdesk_tank_balance_wei{chain="1",dapp="dapp-1"} 9',
    'gasdesk_tank_free_wei{chain="1",dapp="dapp-1"} 7',
  ]);
  expect(await tanks(false)).toEqual([]);
});

test('a database that does not answer hides nothing else', async () => {
  const metrics = createMetrics(clock);
  metrics.calledNode({ chainId: 1, kind: 'node' }, 'unreachable');
  await metrics.text(context);
  const store = { ...context.store, logSize: () => Promise.reject(new Error('away')) };
  const text = await metrics.text({ ...context, store });
  expect(own(text)).toEqual([
    'gasdesk_rpc_calls_total{chain="1",target="node",outcome="unreachable"} 1',
    'gasdesk_disk_free_bytes 5242880',
  ]);
  expect(text).toContain('process_cpu_seconds_total');
});

test('how long an answer takes is measured, whatever it is', async () => {
  const metrics = createMetrics(clock);
  await metrics.timed('sponsorship.sponsor', () => clock.advance(30));
  const failing = metrics.timed('sponsorship.stub', () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  const text = await metrics.text(context);
  const bucket = (le: string) => `_bucket{le="${le}",procedure="sponsorship.sponsor",answered="result"}`;
  expect(text).toContain(`${bucket('0.025')} 0`);
  expect(text).toContain(`${bucket('0.05')} 1`);
  expect(text).toContain('_count{procedure="sponsorship.stub",answered="error"} 1');
});
