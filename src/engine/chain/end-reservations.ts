import { ZodError } from 'zod';
import { addressKey, sameAddress } from '../../shared/schema/hex.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { MinedUserOperation, OpenReservation, SettlementState } from '../store/settlement-store.ts';
import type { SettlementStore } from '../store/tables/settlements.ts';
import { type RpcClient, RpcError, isUnreachable } from './rpc.ts';
import type { Identifier } from './sponsored-hashes.ts';
import { type NonceState, queryNonce } from './used-nonces.ts';
import {
  type Block,
  type OperationFilter,
  type OperationReader,
  blockBefore,
  readOperationsOf,
} from './user-operation-events.ts';

/**
 * Maximum difference between a chain's time and Gasdesk's, in seconds. Reservations end this much later than
 * `validUntil` (behaviour 6.5).
 */
export const GRACE_SECONDS = 120;
/** A reservation becomes `unconfirmed` if the node gives no usable answer about it for this long. */
const PATIENCE_MS = 3_600_000;
/** Interval between retries of reads that were not answered. */
const ASK_AGAIN_MS = 60_000;
/** The number of nonces that are read at the same time, and the maximum number per poll. */
const [AT_ONCE, MAX_AT_POLL] = [20, 100];
/** Maximum log requests per poll to search for the operations that used nonces. */
const MAX_SEARCHES = 300;
/** A search may start this many blocks too early. */
const EARLY_BLOCKS = 64;
/**
 * The nonce of an operation that never expires is not read before this time has passed, because most operations are
 * mined long before.
 */
const ENDLESS_MS = 10 * 60_000;
/**
 * Interval between reads of {@link AT_ONCE} nonces of operations that never expire. The operator pays a provider for
 * each read.
 */
const ENDLESS_EVERY_MS = 60_000;

/** A reservation, and the block at which its nonce is checked. */
interface NonceQuestion {
  readonly reservation: OpenReservation;
  readonly block: Block;
}

/** State of the chain at the time when reservations are ended. */
export interface ChainNow {
  readonly node: RpcClient;
  readonly head: Block;
  /** A block that no re-org removes; undefined if the chain does not have one yet. */
  readonly buried: Block | undefined;
  readonly state: SettlementState;
}

export interface EndingOptions {
  readonly chainId: number;
  readonly store: SettlementStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly readOperations: OperationReader;
  readonly identify: Identifier;
  readonly reportUnmatched: (mined: MinedUserOperation, decisions: number) => void;
}

/** True for an error of the node or the connection, which proves nothing. */
const isSilence = (error: unknown): boolean =>
  error instanceof RpcError || error instanceof ZodError || isUnreachable(error);

/** A position before all reservations that expire, and after those that never do (`validUntil` 0). */
export const FIRST_EXPIRING = { validUntil: 0, seq: Number.MAX_SAFE_INTEGER };
const FIRST_ENDLESS = { validUntil: 0, seq: 0 };

const slotOf = ({ entryPoint, sender, nonce }: Pick<OpenReservation, 'entryPoint' | 'sender' | 'nonce'>): string =>
  `${addressKey(entryPoint)} ${addressKey(sender)} ${nonce}`;

const seqsOf = (questions: readonly NonceQuestion[]): number[] => questions.map(({ reservation }) => reservation.seq);

/**
 * Ends reservations whose operations can no longer be mined. A missing event does not prove that an operation can no
 * longer be mined, because logs may come from a node that is behind. The account's nonce proves it. If the nonce is
 * unused after the expiry, the operation was never mined, and the reservation is `released`. If it is used, the event
 * of the operation that used it is searched for: it either settles the decision, or proves that another operation used
 * the nonce. Without that event the reservation becomes `unconfirmed`.
 */
export const createEnding = (options: EndingOptions) => {
  const { chainId, store, clock, log, readOperations, identify, reportUnmatched } = options;

  const end = async (questions: readonly NonceQuestion[], to: 'released' | 'unconfirmed'): Promise<void> => {
    if (questions.length === 0) return;
    const count = await store.endReservations(seqsOf(questions), to);
    if (count === 0) return;
    if (to === 'released') log.info('settlement.released', { chainId, count });
    else log.warn('settlement.unconfirmed', { chainId, count });
  };

  /** Finds the operations that used the nonces. Throws if the node does not have the last block. */
  const findUsers = async (
    node: RpcClient,
    used: readonly NonceQuestion[],
  ): Promise<Map<string, MinedUserOperation>> => {
    const missing = new Set(used.map(({ reservation }) => slotOf(reservation)));
    const found = new Map<string, MinedUserOperation>();
    const filter: OperationFilter = {
      entryPoints: [...new Set(used.map(({ reservation }) => reservation.entryPoint))],
      senders: [...new Set(used.map(({ reservation }) => reservation.sender))],
    };
    const last = used.map(({ block }) => block).reduce((one, other) => (other.number > one.number ? other : one));
    const add = (mined: readonly MinedUserOperation[]): void => {
      for (const one of mined) if (missing.delete(slotOf(one))) found.set(slotOf(one), one);
    };
    const made = Math.min(...used.map(({ reservation }) => reservation.at));
    const first = await blockBefore(node, last, made / 1000 - GRACE_SECONDS, { within: EARLY_BLOCKS });
    let from = first.number;
    for (let searches = 0; searches < MAX_SEARCHES && from <= last.number && missing.size > 0; searches += 1) {
      const { mined, toBlock } = await readOperations(node, filter, from, last.number);
      add(mined);
      from = toBlock + 1;
    }
    // A node that is behind silently omits blocks that it lacks. For a block requested by hash, it reports an error
    // instead.
    if (missing.size > 0) add(await readOperationsOf(node, filter, last));
    return found;
  };

  /** Finds the operations that used the nonces, and settles the decisions on those that Gasdesk signed. */
  const settleUsers = async ({ node, head, state }: ChainNow, used: readonly NonceQuestion[]) => {
    const users = await findUsers(node, used);
    const isOurs = ({ paymaster }: MinedUserOperation): boolean =>
      state.paymasters.some((one) => sameAddress(one, paymaster));
    const mined = await identify(node, [...users.values()].filter(isOurs));
    if (mined.length > 0) {
      const noBlocks = { fromBlock: head.number + 1, toBlock: head.number, cursor: head.number };
      const { unmatched } = await store.applySettlements({ chainId, mined, ...noBlocks });
      for (const { mined: operation, decisions } of unmatched) reportUnmatched(operation, decisions);
    }
    return users;
  };

  /**
   * Ends reservations whose nonces are used. @returns those for which the node does not report the operation that used
   * the nonce
   */
  const endUsed = async (now: ChainNow, used: readonly NonceQuestion[]): Promise<readonly NonceQuestion[]> => {
    if (used.length === 0) return [];
    try {
      const users = await settleUsers(now, used);
      const isFound = ({ reservation }: NonceQuestion): boolean => users.has(slotOf(reservation));
      // The decisions on the found operations are settled now. If a reservation still exists, another operation used
      // its nonce.
      await end(used.filter(isFound), 'released');
      await end(
        used.filter((one) => !isFound(one)),
        'unconfirmed',
      );
      return [];
    } catch (error) {
      if (isSilence(error)) return used;
      throw error;
    }
  };

  const queryAll = async (node: RpcClient, questions: readonly NonceQuestion[]) => {
    const states = await Promise.all(questions.map(({ reservation, block }) => queryNonce(node, reservation, block)));
    const thatAre = (state: NonceState): NonceQuestion[] => questions.filter((_, index) => states[index] === state);
    return { used: thatAre('used'), unused: thatAre('unused'), unanswered: thatAre('unanswered') };
  };

  /**
   * By `seq` of a reservation: since when the node has given no usable answer about it (monotonic ms), in this round
   * and in the previous one.
   */
  let [silentSince, silentBefore] = [new Map<number, number>(), new Map<number, number>()];
  let expiring = { after: FIRST_EXPIRING, notBefore: -Infinity };
  let endless = { after: FIRST_ENDLESS, notBefore: -Infinity };

  /**
   * Ends some expired reservations. @returns the last of them (undefined after the last batch), and whether nonces were
   * searched for
   */
  const expireSome = async (now: ChainNow, validUntilBefore: number) => {
    const { node, head, buried } = now;
    const query = { chainId, after: expiring.after, validUntilBefore, most: AT_ONCE };
    const reservations = await store.openReservations(query);
    const questions = reservations.map((reservation): NonceQuestion => {
      const isPast = buried !== undefined && buried.timestamp > reservation.validUntil;
      return { reservation, block: isPast ? buried : head };
    });
    const { used, unused, unanswered } = await queryAll(node, questions);
    await end(unused, 'released');
    const at = clock.monotonic();
    const givenUp = [...unanswered, ...(await endUsed(now, used))].filter(({ reservation: { seq } }) => {
      const since = silentBefore.get(seq) ?? at;
      silentSince.set(seq, since);
      return at - since >= PATIENCE_MS;
    });
    await end(givenUp, 'unconfirmed');
    return { last: reservations.length < AT_ONCE ? undefined : reservations.at(-1), searched: used.length > 0 };
  };

  return {
    /**
     * Ends expired reservations.
     *
     * @param chainTime unix seconds; no later block will have an earlier time
     */
    async expire(now: ChainNow, chainTime: number): Promise<void> {
      if (clock.monotonic() < expiring.notBefore) return;
      for (let polled = 0; polled < MAX_AT_POLL; polled += AT_ONCE) {
        const { last, searched } = await expireSome(now, chainTime - GRACE_SECONDS);
        if (last === undefined) {
          const wait = silentSince.size > 0 ? ASK_AGAIN_MS : 0;
          expiring = { after: FIRST_EXPIRING, notBefore: clock.monotonic() + wait };
          silentBefore = silentSince;
          silentSince = new Map<number, number>();
          return;
        }
        expiring = { after: last, notBefore: -Infinity };
        if (searched) return;
      }
    },
    /** Ends reservations that never expire if their nonces are used in a block that no re-org removes. */
    async endEndless(now: ChainNow): Promise<void> {
      const { node, buried } = now;
      if (buried === undefined || clock.monotonic() < endless.notBefore) return;
      const reservations = await store.openReservations({
        chainId,
        after: endless.after,
        validUntilBefore: 1,
        most: AT_ONCE,
      });
      const old = reservations.filter(({ at }) => at < clock.now() - ENDLESS_MS);
      const { used } = await queryAll(
        node,
        old.map((reservation) => ({ reservation, block: buried })),
      );
      await endUsed(now, used);
      const last = old.length < AT_ONCE ? undefined : old.at(-1);
      endless = { after: last ?? FIRST_ENDLESS, notBefore: clock.monotonic() + ENDLESS_EVERY_MS };
    },
  };
};
