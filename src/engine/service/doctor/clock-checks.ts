import type { Store } from '../../store/store.ts';
import { spanWords } from '../../../shared/words/span.ts';
import type { RpcClient } from '../../chain/rpc.ts';
import { TOLERATED_MS } from '../clock-watch.ts';
import type { Clock } from '../../base/clock.ts';
import { type Check, advice, failed, good } from './check.ts';

/** If the latest block is older than this, the chain is idle, the node is behind, or the clock is ahead. */
const OLD_BLOCK_MS = 15 * 60_000;

const FIX =
  'Synchronise the clock of this computer with a time server (NTP). If it is right, the other clock is wrong.';
const BEHIND = 'signatures expire too early by as much (validUntil)';
const AHEAD = 'signatures are not yet valid when they reach the chain (validAfter)';

const apart = (ms: number): string => {
  const seconds = Math.round(Math.abs(ms) / 1000);
  return spanWords(seconds < 120 ? seconds : Math.round(seconds / 60) * 60);
};

/** Compares this computer's clock with the current time from another source (epoch ms). */
const compared = (name: string, owner: string, aheadMs: number): Check | undefined => {
  if (Math.abs(aheadMs) <= TOLERATED_MS) return undefined;
  const [where, means] = aheadMs > 0 ? ['ahead of', AHEAD] : ['behind', BEHIND];
  return failed(name, `This computer's clock is ${apart(aheadMs)} ${where} ${owner}: ${means}`, FIX);
};

const secondsOf = (block: unknown): number => {
  const { timestamp } = (block ?? {}) as { timestamp?: unknown };
  return typeof timestamp === 'string' ? Number(timestamp) : Number.NaN;
};

/**
 * Compares this computer's clock with that of a chain's node, if it reports one, and with the newest block. Undefined
 * if the node is unreachable, which another check reports.
 */
export const checkChainClock = async (clock: Clock, chainId: number, rpc: RpcClient): Promise<Check | undefined> => {
  const name = `clock and chain ${chainId}`;
  const block = await rpc.send('eth_getBlockByNumber', ['latest', false]).catch(() => undefined);
  const now = clock.now();
  const answeredAt = rpc.answeredAt?.();
  const server = answeredAt === undefined ? undefined : compared(name, 'that of its node', now - answeredAt);
  if (server !== undefined) return server;
  const blockAge = now - secondsOf(block) * 1000;
  if (Number.isNaN(blockAge)) return undefined;
  if (blockAge < -TOLERATED_MS) return compared(name, "the chain's newest block", blockAge);
  if (answeredAt === undefined && blockAge > OLD_BLOCK_MS) {
    const detail = `The newest block is ${apart(blockAge)} old`;
    return advice(
      name,
      detail,
      `The chain is idle, its node is behind, or this clock is ahead. In the last case, ${AHEAD}.`,
    );
  }
  return good(name, 'In agreement');
};

/**
 * Reports that the machine's time has changed: either while the service runs (the service has its own clock), or before
 * it started, if decisions are from the future.
 */
export const checkClock = async (store: Pick<Store, 'summarizeDecisions'>, clock: Clock): Promise<Check> => {
  const name = 'clock';
  const aheadMs = clock.machineAheadMs();
  if (Math.abs(aheadMs) > TOLERATED_MS) {
    const where = aheadMs > 0 ? 'ahead of' : 'behind';
    return failed(
      name,
      `This computer's clock was set ${apart(aheadMs)} ${where} the service's own time. Limits, the breaker and ` +
        "signatures use the service's time, which slowly approaches the computer's",
      "If this computer's clock is right, restart the service to use its time at once. If not, correct the clock.",
    );
  }
  const later = { from: clock.now() + TOLERATED_MS, stepMs: 1, steps: 1 };
  const { outcomes } = await store.summarizeDecisions(later);
  const count = outcomes.flatMap((counts) => Object.values(counts)).reduce((sum, one) => sum + one, 0);
  if (count === 0) return good(name, `${new Date(clock.now()).toISOString().slice(0, 19)}Z`);
  const what = count === 1 ? 'One decision is' : `${count} decisions are`;
  return failed(
    name,
    `${what} from the future: the clock was set back, or was ahead before`,
    `Synchronise the clock of this computer with a time server (NTP). If it is behind, ${BEHIND}.`,
  );
};
