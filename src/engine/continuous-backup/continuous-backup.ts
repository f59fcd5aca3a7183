import { EngineError } from '../../shared/errors.ts';
import type { Clock, Entropy } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import type { DataFolder } from '../data-folder/data-folder.ts';
import { type FreeBytes, LEAST_FREE_BYTES, bytesText } from '../data-folder/free-bytes.ts';
import type { Vault } from '../signer/vault.ts';
import type { Snapshots } from '../store/snapshots.ts';
import { copiesOf, copyName, namesBefore, readCopies } from './catalogue.ts';
import { CopyBroken, type CopyThread, startCopyThread } from './copy-thread.ts';
import type { Lease } from './lease.ts';
import { awaited, requireNoLeadInTime } from './start-waits.ts';
import { leaseTarget, requireNoLaterLead, takeLead } from './take-lead.ts';
import { requireOwnCopy } from './marker.ts';
import { POSTGRES, notConfirmed } from './words.ts';
import { type S3Settings, openTarget, placeOf, requireOutside } from './open-target.ts';
import type { CopyTarget, TargetPlace } from './target.ts';

export interface ContinuousBackupState {
  /** As in the setting; null if nothing is to be copied. */
  readonly target: string | null;
  /** Everything up to this time can be restored, epoch ms. Null until the target has a whole database of this run. */
  readonly copiedAt: number | null;
  /** Age of the newest state that can be restored. Before the first one, time since copying began. */
  readonly behindMs: number;
  /** Why the last attempt failed; null if it succeeded. */
  readonly error: string | null;
}

export interface ContinuousBackup {
  readonly state: () => ContinuousBackupState;
  start(): void;
  /** Copies everything that is committed when this is called. The error, if any, is part of the state. */
  copyNow(): Promise<ContinuousBackupState>;
  /**
   * Takes the lead, and waits until everything is copied. From then on, {@link confirm} waits. Unless the settings say
   * that answers wait, it only makes sure that no other desk leads, as far as the target answers in time.
   *
   * @throws EngineError `DATA_FOLDER_UNUSABLE` if another desk has led since; `BACKUP_FAILED`
   */
  lead(): Promise<void>;
  /**
   * Resolves when everything that is committed is copied, and this desk leads. Undefined if answers do not wait. The
   * promise rejects with EngineError `STORE_UNAVAILABLE`.
   */
  readonly confirm: () => Promise<void> | undefined;
  /** Copies what is left, and ends. */
  stop(): Promise<void>;
}

interface ContinuousBackupContext {
  readonly folder: DataFolder;
  readonly config: Pick<Config, 'continuousBackup' | 'continuousBackupDays' | 'continuousBackupWait' | 'database'> &
    S3Settings;
  readonly store: Pick<Snapshots, 'databaseBytes' | 'setCheckpoints'>;
  readonly vault: Pick<Vault, 'state' | 'copyKey' | 'unlockers'>;
  readonly freeBytes: FreeBytes;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Log;
}

const EVERY_MS = 1_000;
/** Interval while attempts fail. */
const RETRY_MS = 3_000;
/** How long the end of the engine may wait for the target in total. */
const LAST_COPY_MS = 10_000;
const DAY_MS = 86_400_000;
/** A whole database is sent again when the changes since then are as large, but not for fewer bytes than this. */
const LEAST_CHANGES = 64 * 2 ** 20;

/** What is being copied. */
interface Running {
  readonly target: string;
  readonly thread: CopyThread;
  /** Epoch ms. */
  readonly since: number;
  copiedAt: number | null;
  /** When the last whole database was sent, epoch ms, and its size. */
  snapshot: { readonly at: number; readonly bytes: number } | undefined;
  sending: Promise<void> | undefined;
}

/** Keeps an encrypted copy of the data folder up to date in the target that the settings name. */
export const createContinuousBackup = (context: ContinuousBackupContext): ContinuousBackup => {
  const { folder, config, store, vault, freeBytes, clock, entropy, log } = context;
  let running: Running | undefined;
  let error: string | null = null;
  let since = clock.now();
  /** Ends the requests of this thread to the target. The copying thread ends its own. */
  const givingUp = new AbortController();
  const open = (place: TargetPlace): CopyTarget => openTarget(place, givingUp.signal);

  const requireVault = (): ReturnType<Vault['copyKey']> => {
    if (vault.state !== 'unlocked') throw new Error('The vault is locked. Its key encrypts the copy');
    if (!vault.unlockers().passphrase) {
      throw new Error(
        'The vault has no passphrase, which a restore on another machine needs. Set one on the Settings page',
      );
    }
    return vault.copyKey();
  };

  const begin = async (target: string): Promise<Running> => {
    if (config.database !== undefined) throw new Error(POSTGRES);
    const { key, desk } = requireVault();
    await requireOutside(folder.dir, target);
    const place = placeOf(target, config);
    const opened = open(place);
    await requireOwnCopy(opened, desk);
    // A restore takes the newest copy, which must not be that of a desk whose standby has taken over.
    await requireNoLaterLead({ target: opened, dir: folder.dir, entropy });
    givingUp.signal.throwIfAborted();
    // From here on, the thread checkpoints, and only what it has read.
    await store.setCheckpoints(false);
    const copies = await readCopies(opened);
    // Later than every other, even if another desk's clock was ahead.
    const at = Math.max(clock.now(), (copies.at(-1)?.segments.at(-1)?.at ?? 0) + 1);
    const copy = copyName(at, Buffer.from(entropy.bytes(4)).toString('hex'));
    try {
      const task = { dir: folder.dir, place, copy, key: key.reveal(), desk };
      const thread = await startCopyThread(task, () => clock.now());
      log.info('continuousBackup.began');
      return { target, thread, since: clock.now(), copiedAt: null, snapshot: undefined, sending: undefined };
    } catch (cause) {
      await store.setCheckpoints(true);
      throw cause;
    }
  };

  const end = async (): Promise<void> => {
    const ending = running;
    running = undefined;
    await ending?.thread.end();
    await ending?.sending;
    if (ending !== undefined) await store.setCheckpoints(true);
  };

  /** Removes what no restore to the last days needs. */
  const prune = async (target: CopyTarget): Promise<void> => {
    const names = await target.list('');
    const unneeded = namesBefore(copiesOf(names), names, clock.now() - config.continuousBackupDays * DAY_MS);
    await target.remove(unneeded);
  };

  const sendSnapshot = async (copy: Running): Promise<void> => {
    const needed = (await store.databaseBytes()) + LEAST_FREE_BYTES;
    const free = await freeBytes(folder.dir);
    if (free < needed) {
      throw new Error(
        `The continuous backup needs ${bytesText(needed)} on the disk of ${folder.dir}, and ${bytesText(free)} is free`,
      );
    }
    copy.snapshot = { at: clock.now(), bytes: await copy.thread.snapshot() };
    await prune(open(placeOf(copy.target, config)));
  };

  const isSnapshotDue = ({ snapshot, sending }: Running, bytesSince: number): boolean =>
    sending === undefined &&
    (snapshot === undefined ||
      clock.now() - snapshot.at >= DAY_MS ||
      bytesSince >= Math.max(LEAST_CHANGES, snapshot.bytes));

  const failed = async (cause: unknown): Promise<void> => {
    const words = cause instanceof Error ? cause.message : String(cause);
    if (words !== error) log.warn('continuousBackup.failed', { err: cause });
    error = words;
    // Without a checkpoint, the write-ahead log grows until the target can be written to.
    const isFull = (await freeBytes(folder.dir).catch(() => 0n)) < 2n * LEAST_FREE_BYTES;
    if (cause instanceof CopyBroken || isFull) await end();
  };

  /** Copies everything. @returns whether it can be restored */
  const copyOn = async (copy: Running): Promise<boolean> => {
    const { isWhole, bytesSince, at } = await copy.thread.copy();
    if (isWhole) copy.copiedAt = at;
    if (isSnapshotDue(copy, bytesSince)) {
      copy.sending = sendSnapshot(copy)
        .catch((cause: unknown) => (running === copy ? failed(cause) : undefined))
        .finally(() => (copy.sending = undefined));
    }
    return isWhole;
  };

  /** Follows the settings, and copies everything. @returns whether what was committed before can be restored */
  const poll = async (): Promise<boolean> => {
    const { continuousBackup: target } = config;
    try {
      if (running !== undefined && running.target !== target) await end();
      if (target === '') {
        error = null;
        return false;
      }
      if (running === undefined) {
        since = clock.now();
        running = await begin(target);
      }
      const copy = running;
      const isCopied = await copyOn(copy);
      if (copy.sending === undefined) error = null;
      return isCopied;
    } catch (cause) {
      await failed(cause);
      return false;
    }
  };

  let last: Promise<unknown> = Promise.resolve();
  let isStopped = false;
  let cancelTimer = (): void => undefined;
  const inTurn = (): Promise<boolean> => {
    const next = last.then(() => (isStopped ? false : poll()));
    last = next;
    return next;
  };
  const tick = async (): Promise<void> => {
    await inTurn();
    if (!isStopped) cancelTimer = clock.setTimer(error === null ? EVERY_MS : RETRY_MS, () => void tick());
  };

  const state = (): ContinuousBackupState => {
    const { continuousBackup: target } = config;
    const copiedAt = running?.copiedAt ?? null;
    return {
      target: target === '' ? null : target,
      copiedAt,
      behindMs: target === '' ? 0 : Math.max(0, clock.now() - (copiedAt ?? since)),
      error,
    };
  };

  const copyLast = async (): Promise<void> => {
    await last;
    isStopped = true;
    await running?.thread.copy().catch(failed);
  };

  let lease: Lease | undefined;
  let waiting: { readonly resolve: () => void; readonly reject: (error: EngineError) => void }[] = [];
  let isConfirming = false;
  const confirmAll = async (): Promise<void> => {
    isConfirming = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const isCopied = await inTurn();
      // Asked last: until now, no other desk can have read the copy in order to lead.
      if (isCopied && lease?.isHeld() === true) for (const { resolve } of batch) resolve();
      else for (const { reject } of batch) reject(notConfirmed(isCopied ? null : error));
    }
    isConfirming = false;
  };

  const leadAndCopy = async (place: TargetPlace): Promise<void> => {
    const target = await leaseTarget(place, entropy, givingUp.signal);
    lease = await takeLead({ target, dir: folder.dir, clock, entropy });
    while (!isStopped && !(await inTurn())) {
      await running?.sending;
      if (error !== null) throw new EngineError('BACKUP_FAILED', error);
    }
    // A start that ends while it waits may end before it has the lease.
    if (isStopped) await lease.end(true);
  };

  return {
    state,
    async lead() {
      const { continuousBackup: target, continuousBackupWait } = config;
      const order = { place: placeOf(target, config), dir: folder.dir, clock, entropy, log, stop: givingUp.signal };
      if (continuousBackupWait)
        await awaited(order, 'because answers wait for the copy in it', () => leadAndCopy(order.place));
      else if (target !== '') await requireNoLeadInTime(order);
    },
    confirm() {
      if (lease === undefined || isStopped) return undefined;
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        if (!isConfirming) void confirmAll();
      });
    },
    start: () => void tick(),
    async copyNow() {
      await inTurn();
      await running?.sending;
      await inTurn();
      return state();
    },
    async stop() {
      cancelTimer();
      const tooLong = Promise.withResolvers<undefined>();
      const cancel = clock.setTimer(LAST_COPY_MS, () => {
        givingUp.abort(new Error('Gasdesk is stopping'));
        tooLong.resolve(undefined);
      });
      await Promise.race([copyLast(), tooLong.promise]);
      isStopped = true;
      await end();
      await lease?.end(true);
      cancel();
      // Ends what a start still waits for.
      givingUp.abort();
    },
  };
};
