import { type ProcedureArguments, type ProcedureName, type ProcedureOutput, procedures } from '../../api/index.ts';
import { parse } from '../../shared/schema/parse.ts';
import type { Change } from '../../core/log/entry.ts';
import { type CallerInfo, inCall } from '../base/caller.ts';
import type { DecisionFeed } from '../events/decision-feed.ts';
import type { NotificationView } from '../../api/notifications.ts';
import type { RecentRequests } from '../requests/recent-requests.ts';

export type { AnsweredRequest, Decided } from '../requests/recent-requests.ts';
import { type Access, createAccess } from './access.ts';
import { accountHandlers } from './accounts.ts';
import { alertHandlers } from './alerts.ts';
import { apiKeyHandlers } from './api-keys.ts';
import { backupHandlers } from './backups.ts';
import { chainHandlers } from './chains.ts';
import { configHandlers } from './config.ts';
import { contractHandlers } from './contracts.ts';
import { decisionHandlers } from './decisions.ts';
import { eventWebhookHandlers } from './event-webhooks.ts';
import { exposureHandlers } from './exposure.ts';
import { fundingHandlers } from './funding.ts';
import { keyHandlers } from './keys.ts';
import { later } from './later.ts';
import { logHandlers } from './log.ts';
import { type Monitoring, createMonitoring } from './monitoring.ts';
import { notificationHandlers, notificationView } from './notifications.ts';
import { paymasterContractHandlers } from './paymaster-contracts.ts';
import { dappHandlers } from './dapps.ts';
import { createPolicyRecorder } from './policy-recorder.ts';
import { receiverHandlers } from './receiver.ts';
import { requestHandlers } from './requests.ts';
import { ruleHandlers } from './rules.ts';
import type { Handlers, ServiceContext } from './service.ts';
import { sponsorshipHandlers } from './sponsorship.ts';
import { systemHandlers } from './system.ts';
import { tankHandlers } from './tanks.ts';
import { tokenHandlers } from './tokens.ts';
import { transactionHandlers } from './transactions.ts';
import { vaultHandlers } from './vault.ts';
import { webhookHandlers } from './webhooks.ts';

/** The only way to use the engine: every interface calls these procedures, and nothing else changes settings. */
export interface Service {
  /** Validates untrusted input with the procedure's schema, and runs the procedure. @throws EngineError */
  call<Name extends ProcedureName>(name: Name, input: unknown): Promise<ProcedureOutput<Name>>;
  /** Runs a procedure with input that the caller has validated. @throws EngineError */
  run<Name extends ProcedureName>(name: Name, args: ProcedureArguments<Name>): Promise<ProcedureOutput<Name>>;
  readonly access: Access;
  readonly monitoring: Monitoring;
  /** Keeps the last requests of the JSON-RPC interface. */
  readonly requests: Pick<RecentRequests, 'start'>;
  readonly subscribe: DecisionFeed['subscribe'];
  /** Follows the rows of new and newly settled decisions, starting at any position in the feed. */
  readonly follow: DecisionFeed['follow'];
  /** Calls the listener when a notification starts and when it ends. @returns a function that unsubscribes */
  readonly followNotifications: (listener: (notification: NotificationView) => void) => () => void;
}

/** What the console needs from an engine or a review. */
export type ConsoleService = Pick<Service, 'call' | 'run' | 'follow'>;

/** Creates the service. The store in `context` must be the feed's. */
export const createService = (context: ServiceContext, { subscribe, follow }: DecisionFeed): Service => {
  const recorder = createPolicyRecorder(context);
  const handlers: Handlers<ProcedureName> = {
    ...accountHandlers(context),
    ...alertHandlers(context),
    ...apiKeyHandlers(context),
    ...backupHandlers(context),
    ...chainHandlers(context),
    ...configHandlers(context),
    ...contractHandlers(context),
    ...later('costs', async () => (await import('./costs.ts')).costHandlers(context)),
    ...decisionHandlers(context, follow),
    ...eventWebhookHandlers(context),
    ...exposureHandlers(context),
    ...fundingHandlers(context),
    ...later('inspect', async () => (await import('./inspect.ts')).inspectHandlers(context)),
    ...keyHandlers(context),
    ...logHandlers(context),
    ...notificationHandlers(context),
    ...paymasterContractHandlers(context),
    ...dappHandlers(context),
    ...later('policies', async () => (await import('./policies.ts')).policyHandlers(context, recorder)),
    ...receiverHandlers(context),
    ...requestHandlers(context),
    ...later('reputation', async () => (await import('./reputation.ts')).reputationHandlers(context)),
    ...ruleHandlers(context),
    ...later('setup', async () => (await import('./setup.ts')).setupHandlers(context)),
    ...sponsorshipHandlers(context),
    ...systemHandlers(context),
    ...tankHandlers(context),
    ...tokenHandlers(context),
    ...transactionHandlers(context),
    ...vaultHandlers(context),
    ...webhookHandlers(context),
  };
  const logCall = async (call: CallerInfo & { action: string }, outside: readonly Change[]): Promise<void> => {
    // The changes themselves are stored, and their entries precede whatever is committed next.
    await context.store.logChanges().catch((err: unknown) => context.log.warn('log.changesNotEntered', { err }));
    if (outside.length > 0) await context.store.logAction({ ...call, changes: outside });
    await recorder.catchUp();
  };
  /** Sponsorship requests change no settings, and are a thousand times as frequent as other calls. */
  const run: Service['run'] = (name, args) =>
    name.startsWith('sponsorship.')
      ? context.metrics.timed(name, () => handlers[name](args))
      : inCall(name, () => handlers[name](args), logCall);
  return {
    run,
    call: async (name, input) => run(name, parse(procedures[name].input, input) as ProcedureArguments<typeof name>),
    access: createAccess(context),
    monitoring: createMonitoring(context),
    requests: context.requests,
    subscribe,
    follow,
    followNotifications: (listener) => context.notifications.follow((one) => listener(notificationView(one))),
  };
};
