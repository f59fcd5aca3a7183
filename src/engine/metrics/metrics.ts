import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { ProcedureOutput } from '../../api/index.ts';
import { type WebhookResponse, responseVerdict } from '../../core/webhooks/webhook-response.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import type { Clock } from '../base/clock.ts';
import type { ContinuousBackup } from '../continuous-backup/continuous-backup.ts';
import type { DataFolder } from '../data-folder/data-folder.ts';
import type { FreeBytes } from '../data-folder/free-bytes.ts';
import type { Log } from '../base/log.ts';
import type { CallOutcome, CallTarget } from '../chain/rpc.ts';
import type { Store } from '../store/store.ts';

type Exposure = ProcedureOutput<'exposure.get'>;

/** The data for a response with metrics. Reading it does not call a node. */
export interface MetricsContext {
  readonly store: Pick<Store, 'logSize' | 'outstandingReservations' | 'settlementChains'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly folder: Pick<DataFolder, 'dir'>;
  readonly freeBytes: FreeBytes;
  /** True while this engine checks the tanks. */
  readonly isLeader: () => boolean;
  /** When settlement last checked a chain, epoch ms; undefined if never. */
  readonly polledAt: (chainId: number) => number | undefined;
  readonly continuousBackup: Pick<ContinuousBackup, 'state'>;
}

export interface Metrics {
  readonly decided: (decision: Pick<DecisionRecord, 'outcome' | 'rule' | 'chainId' | 'paymasterId'>) => void;
  /** Measures how long the response to a wallet takes. */
  readonly timed: <T>(procedure: string, run: () => Promise<T>) => Promise<T>;
  readonly calledNode: (target: CallTarget, outcome: CallOutcome) => void;
  readonly calledWebhook: (response: WebhookResponse) => void;
  /** Records the state of the tanks, and returns its argument. */
  readonly sawTanks: (exposure: Exposure) => Exposure;
  readonly contentType: string;
  /** In the Prometheus text format, version 0.0.4. */
  readonly text: (context: MetricsContext) => Promise<string>;
}

/** In seconds. Most responses take milliseconds; those that wait for a webhook or a node take seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Gauges hold wei and bytes as floating-point numbers. */
// eslint-disable-next-line house/exact-money -- the exposition format of Prometheus knows floating-point numbers only
const toFloat = (wei: bigint | string): number => Number.parseFloat(String(wei));

/**
 * Metrics of one engine. Labels have few possible values: outcomes, kinds of rules, and the operator's own chains and
 * DApps. Addresses and client input are never labels.
 */
export const createMetrics = (clock: Pick<Clock, 'monotonic'>): Metrics => {
  const register = new Registry();
  const registers = [register];
  const decisions = new Counter({
    name: 'gasdesk_decisions_total',
    help: 'Decisions, by outcome and kind of deciding rule',
    labelNames: ['outcome', 'rule', 'chain', 'dapp'] as const,
    registers,
  });
  const durations = new Histogram({
    name: 'gasdesk_sponsorship_duration_seconds',
    help: 'Time to answer a wallet, webhooks and nodes included',
    labelNames: ['procedure', 'answered'] as const,
    buckets: BUCKETS,
    registers,
  });
  const nodeCalls = new Counter({
    name: 'gasdesk_rpc_calls_total',
    help: 'Requests to nodes and bundlers',
    labelNames: ['chain', 'target', 'outcome'] as const,
    registers,
  });
  const webhookCalls = new Counter({
    name: 'gasdesk_webhook_calls_total',
    help: 'Webhook calls, by the meaning of their answer',
    labelNames: ['code'] as const,
    registers,
  });
  const ofDapp = ['chain', 'dapp'] as const;
  const reserved = new Gauge({
    name: 'gasdesk_reserved_wei',
    help: 'Maximum cost of signed operations that are neither mined nor expired',
    labelNames: ofDapp,
    registers,
  });
  const operations = new Gauge({
    name: 'gasdesk_reserved_operations',
    help: 'Signed operations that are neither mined nor expired',
    labelNames: ofDapp,
    registers,
  });
  const balances = new Gauge({
    name: 'gasdesk_tank_balance_wei',
    help: 'Balance of the gas tank of a DApp at the last look',
    labelNames: ofDapp,
    registers,
  });
  const free = new Gauge({
    name: 'gasdesk_tank_free_wei',
    help: 'Free balance of the gas tank of a DApp at the last look',
    labelNames: ofDapp,
    registers,
  });
  const lag = new Gauge({
    name: 'gasdesk_settlement_lag_seconds',
    help: 'Time since settlement last looked through a chain',
    labelNames: ['chain'] as const,
    registers,
  });
  const copyLag = new Gauge({
    name: 'gasdesk_continuous_backup_lag_seconds',
    help: 'Age of the newest state that the continuous backup can restore',
    registers,
  });
  const entries = new Gauge({ name: 'gasdesk_log_entries', help: 'Entries of the log', registers });
  const disk = new Gauge({
    name: 'gasdesk_disk_free_bytes',
    help: 'Free space on the disk of the data folder',
    registers,
  });

  /** Starts collecting process metrics, at the first request. */
  const watchProcess = (): void => {
    if (register.getSingleMetric('process_cpu_seconds_total') === undefined) collectDefaultMetrics({ register });
  };

  /** Clears the gauges, so that operations that are settled and values that can no longer be read disappear. */
  const forget = (): void => {
    for (const gauge of [reserved, operations, lag]) gauge.reset();
    for (const gauge of [entries, disk, copyLag]) gauge.remove();
  };

  const measureDisk = async ({ folder, freeBytes }: MetricsContext): Promise<void> => {
    const bytes = await freeBytes(folder.dir).catch(() => undefined);
    if (bytes !== undefined) disk.set(toFloat(bytes));
  };

  const measure = async (context: MetricsContext): Promise<void> => {
    const { store, clock: wallClock, isLeader, polledAt, continuousBackup } = context;
    const copy = continuousBackup.state();
    if (copy.target !== null) copyLag.set(copy.behindMs / 1000);
    // This engine last read the tanks while it was the leader, so its values are out of date.
    if (!isLeader()) for (const gauge of [balances, free]) gauge.reset();
    const [outstanding, chains, size] = await Promise.all([
      store.outstandingReservations(),
      store.settlementChains(),
      store.logSize(),
    ]);
    for (const { chainId, paymasterId, reservedWei, operations: count } of outstanding) {
      reserved.set({ chain: chainId, dapp: paymasterId }, toFloat(reservedWei));
      operations.set({ chain: chainId, dapp: paymasterId }, count);
    }
    for (const chainId of chains) {
      const at = polledAt(chainId);
      if (at !== undefined) lag.set({ chain: chainId }, Math.max(0, wallClock.now() - at) / 1000);
    }
    entries.set(size);
  };

  return {
    decided({ outcome, rule, chainId, paymasterId }) {
      decisions.inc({ outcome, rule: rule ?? '', chain: chainId, dapp: paymasterId });
    },
    timed(procedure, run) {
      const start = clock.monotonic();
      const observe = (answered: 'result' | 'error'): void =>
        durations.observe({ procedure, answered }, (clock.monotonic() - start) / 1000);
      const failed = (error: unknown): never => {
        observe('error');
        throw error;
      };
      try {
        return run().then((result) => {
          observe('result');
          return result;
        }, failed);
      } catch (error) {
        return (async () => failed(error))();
      }
    },
    calledNode({ chainId, kind }, outcome) {
      nodeCalls.inc({ chain: chainId, target: kind, outcome });
    },
    calledWebhook(response) {
      webhookCalls.inc({ code: responseVerdict(response).code });
    },
    sawTanks(exposure) {
      for (const gauge of [balances, free]) gauge.reset();
      for (const { chainId, paymasterId, tank } of exposure.dapps) {
        const labels = { chain: chainId, dapp: paymasterId };
        if (tank.balanceWei !== null) balances.set(labels, toFloat(tank.balanceWei));
        if (tank.freeWei !== null) free.set(labels, toFloat(tank.freeWei));
      }
      return exposure;
    },
    contentType: register.contentType,
    async text(context) {
      watchProcess();
      forget();
      await measureDisk(context);
      // Without the database, the other metrics are still served, because they matter most then.
      await measure(context).catch((err: unknown) => context.log.warn('metrics.unread', { err }));
      return register.metrics();
    },
  };
};
