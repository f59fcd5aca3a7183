import type { ProcedureOutput } from '../../api/index.ts';
import type { OperationCounts } from '../../core/reputation/reputation.ts';
import type { ContinuousBackupState } from '../continuous-backup/continuous-backup.ts';
import { secondsText } from '../continuous-backup/words.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import type { Pause } from '../store/policy-store.ts';
import type { PaymasterContract } from '../store/registry-store.ts';
import type { NewNotification, StoredNotification } from '../store/notification-store.ts';

export type NotificationText = Pick<NewNotification, 'title' | 'body'>;

export type TankFacts = Pick<ProcedureOutput<'exposure.get'>['dapps'][number]['tank'], 'operationsLeft'>;

export const lowTank = (dapp: string, { operationsLeft }: TankFacts): NotificationText => {
  const title = `The gas tank of ${dapp} is low`;
  if (operationsLeft === null) return { title, body: 'It is below its low-balance threshold.' };
  const left = BigInt(operationsLeft);
  const words = left === 0n ? 'no further operation' : `${left} more ${left === 1n ? 'operation' : 'operations'}`;
  return { title, body: `It covers ${words} at the maximum cost of the last one.` };
};

export const emptyTank = (dapp: string): NotificationText => ({
  title: `The gas tank of ${dapp} is empty`,
  body: 'It covers no operation. Gasdesk denies them until you deposit.',
});

export const manyDenials = ({ dapp, message }: DecisionRecord, count: number): NotificationText => ({
  title: `Many operations of ${dapp} are denied`,
  body: `${count} were denied within a minute. The last one: ${message}`,
});

export const silentWebhook = ({ dapp, message }: DecisionRecord, count: number): NotificationText => ({
  title: `A webhook of ${dapp} fails`,
  body: `It returned no verdict ${count} times in a row. ${message}`,
});

export const silentNode = (chain: string, error: string | null): NotificationText => ({
  title: `The node of ${chain} does not answer`,
  body: error ?? 'No reason was reported.',
});

/** The notification of a pause by the breaker. @param dapp name of the paused DApp; undefined if all are paused */
export const trippedBreaker = (dapp: string | undefined, { reason }: Pause): NotificationText => ({
  title: `The burn-rate breaker paused ${dapp ?? 'all sponsorship'}`,
  body: reason ?? 'No reason was reported.',
});

/** The notification of a pause by the operator. @param dapp name of the paused DApp; undefined if all are paused */
export const operatorPause = (dapp: string | undefined, { reason }: Pause): NotificationText => ({
  title: dapp === undefined ? 'All sponsorship is paused' : `Sponsorship for ${dapp} is paused`,
  body: reason ?? `Gasdesk signs nothing${dapp === undefined ? '' : ' for this DApp'} until sponsorship is resumed.`,
});

/** The notification that bundlers may soon take fewer operations of a contract, or none. */
export const lowReputation = (
  { address, version }: Pick<PaymasterContract, 'address' | 'version'>,
  counts: OperationCounts,
): NotificationText => ({
  title: `Bundlers may refuse operations of the paymaster contract ${version}`,
  body: `Of ${counts.seen} operations that Gasdesk signed for ${address} and that have ended, ${counts.included} were mined. Bundlers throttle a paymaster when about nine in ten of the operations that they have seen are not mined.`,
});

export const failedBackup = (reason: string): NotificationText => ({ title: 'A backup failed', body: reason });

/** The notification of a continuous backup that falls behind. */
export const lateCopy = ({ target, behindMs, error }: ContinuousBackupState): NotificationText => ({
  title: 'The continuous backup is behind',
  body: `${target ?? ''} lacks the last ${secondsText(behindMs)}. ${error ?? 'It cannot keep up with the decisions'}.`,
});

/** The notification of an event webhook that does not accept an event. @param url in its shown form */
export const silentEventWebhook = (url: string, reason: string): NotificationText => ({
  title: 'An event webhook does not accept events',
  body: `${url}: ${reason} Gasdesk keeps the events and tries again.`,
});

/** The notification of an event webhook that accepts other events than this one. @param url in its shown form */
export const refusedEvent = (url: string, reason: string): NotificationText => ({
  title: 'An event webhook refuses an event',
  body: `${url}: ${reason} Gasdesk sends later events, and tries this one again for a day.`,
});

export const pageOf = ({ kind, subject, decisionId }: StoredNotification): string => {
  switch (kind) {
    case 'tankLow':
    case 'tankEmpty':
      return `/dapps/${subject}/tank`;
    case 'denials':
      return decisionId === null ? '/decisions' : `/decisions/${decisionId}`;
    case 'webhook':
      return `/dapps/${subject}/webhooks`;
    case 'node':
    case 'breaker':
    case 'reputation':
      return '/settings';
    case 'paused':
      return subject === '' ? '/' : `/dapps/${subject}`;
    case 'backup':
      return '/settings';
    case 'eventWebhook':
      return '/events';
  }
};
