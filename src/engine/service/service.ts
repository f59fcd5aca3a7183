import type { ProcedureArguments, ProcedureName, ProcedureOutput } from '../../api/index.ts';
import type { AlertSender } from '../alerts/alert-sender.ts';
import type { Backups } from '../backup/backups.ts';
import type { ContinuousBackup } from '../continuous-backup/continuous-backup.ts';
import type { Rates } from '../chain/rates/rates.ts';
import type { DataFolder } from '../data-folder/data-folder.ts';
import type { BelievedFees } from '../chain/fees/believed-fees.ts';
import type { Deposits } from '../sponsorship/deposits.ts';
import type { EventSender } from '../event-webhooks/event-sender.ts';
import type { FreeBytes } from '../data-folder/free-bytes.ts';
import type { DecisionContext } from '../sponsorship/decision-context.ts';
import type { KeySigners } from '../keys/key-signers.ts';
import type { Checkpoints } from '../log/checkpoints.ts';
import type { Rollback } from '../log/rollback.ts';
import type { Keystores } from '../keys/keystores.ts';
import type { Wallets } from '../keys/wallets.ts';
import type { Log } from '../base/log.ts';
import type { Secret } from '../base/secret.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Settings } from '../config/settings.ts';
import type { Delivery } from '../notifications/delivery.ts';
import type { Notifications } from '../notifications/notifications.ts';
import type { ThresholdTrials } from '../policy-trial/threshold-trials.ts';
import type { Trials } from '../policy-trial/trials.ts';
import type { OperatorTransactions } from '../transactions/operator-transactions.ts';
import type { StorageHealth } from '../log/storage-health.ts';
import type { RecentRequests } from '../requests/recent-requests.ts';
import type { Receiver } from '../webhooks/receiver.ts';

export interface ServiceContext extends DecisionContext {
  readonly fees: BelievedFees;
  readonly deposits: Deposits;
  readonly log: Log;
  /**
   * A key that this machine stores. It is added to the vault as a second way to unlock it. Undefined if there is no
   * such key.
   */
  readonly vaultKey?: Secret<Uint8Array> | undefined;
  readonly rates: Rates;
  readonly receiver: Receiver;
  readonly requests: RecentRequests;
  readonly checkpoints: Checkpoints;
  readonly notifications: Pick<Notifications, 'follow' | 'raise' | 'end'>;
  readonly events: Pick<EventSender, 'wake'>;
  readonly alerts: Pick<AlertSender, 'test'>;
  readonly delivery: Pick<Delivery, 'test'>;
  readonly settings: Settings;
  readonly backups: Backups;
  readonly continuousBackup: Pick<ContinuousBackup, 'state' | 'copyNow'>;
  readonly keystores: Keystores;
  readonly wallets: Wallets;
  readonly keySigners: KeySigners;
  readonly transactions: OperatorTransactions;
  readonly trials: Trials;
  readonly thresholdTrials: ThresholdTrials;
  readonly folder: DataFolder;
  /** Returns the bytes that can still be written to a folder. */
  readonly freeBytes: FreeBytes;
  readonly storage: Pick<StorageHealth, 'problem'>;
  /** Returns the difference if entries that this engine wrote are missing in the database; undefined if none are. */
  readonly rollback: () => Promise<Rollback | undefined>;
  /** When settlement last checked a chain, epoch ms; undefined if never. */
  readonly polledAt: (chainId: number) => number | undefined;
  /** True while this engine settles operations, checks tanks and sends notifications. */
  readonly isLeader: () => boolean;
  readonly metrics: Pick<Metrics, 'timed' | 'text' | 'contentType'>;
  /** URL of the HTTP interfaces; null while they are not served. */
  readonly address: () => string | null;
}

/** Implementations of procedures. Their arguments have been validated. */
export type Handlers<Names extends ProcedureName> = {
  readonly [Name in Names]: (args: ProcedureArguments<Name>) => Promise<ProcedureOutput<Name>>;
};

/** The procedures of one resource, e.g. `NamesOf<'webhooks'>`. */
export type NamesOf<Resource extends string> = Extract<ProcedureName, `${Resource}.${string}`>;
