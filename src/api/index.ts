import type { z } from 'zod';
import { accountProcedures } from './accounts.ts';
import { alertProcedures } from './alerts.ts';
import { apiKeyProcedures } from './api-keys.ts';
import { backupProcedures } from './backups.ts';
import { chainProcedures } from './chains.ts';
import { configProcedures } from './config.ts';
import { contractProcedures } from './contracts.ts';
import { costProcedures } from './costs.ts';
import { decisionProcedures } from './decisions.ts';
import { eventWebhookProcedures } from './event-webhooks.ts';
import { exposureProcedures } from './exposure.ts';
import { reputationProcedures } from './reputation.ts';
import { fundingProcedures } from './funding.ts';
import { inspectProcedures } from './inspect.ts';
import { keyProcedures } from './keys.ts';
import { logProcedures } from './log.ts';
import { narrowingProcedures } from './narrowing.ts';
import { notificationProcedures } from './notifications.ts';
import { paymasterProcedures } from './paymasters.ts';
import { policyProcedures } from './policies.ts';
import { rehearsalProcedures } from './rehearsal.ts';
import { policyTrialProcedures } from './policy-trials.ts';
import { worstCaseProcedures } from './worst-case.ts';
import { receiverProcedures } from './receiver.ts';
import { requestProcedures } from './requests.ts';
import { ruleProcedures } from './rules.ts';
import { setupProcedures } from './setup.ts';
import { sponsorshipProcedures } from './sponsorship.ts';
import { systemProcedures } from './system.ts';
import { tankProcedures } from './tanks.ts';
import { tokenProcedures } from './tokens.ts';
import { transactionProcedures } from './transactions.ts';
import { vaultProcedures } from './vault.ts';
import { webhookProcedures } from './webhooks.ts';

/** Every procedure of the service. The management API, JSON-RPC, the console and the CLI all call these. */
export const procedures = {
  ...accountProcedures,
  ...alertProcedures,
  ...apiKeyProcedures,
  ...backupProcedures,
  ...chainProcedures,
  ...configProcedures,
  ...contractProcedures,
  ...costProcedures,
  ...decisionProcedures,
  ...eventWebhookProcedures,
  ...exposureProcedures,
  ...reputationProcedures,
  ...fundingProcedures,
  ...inspectProcedures,
  ...keyProcedures,
  ...logProcedures,
  ...narrowingProcedures,
  ...notificationProcedures,
  ...paymasterProcedures,
  ...policyProcedures,
  ...policyTrialProcedures,
  ...rehearsalProcedures,
  ...worstCaseProcedures,
  ...receiverProcedures,
  ...requestProcedures,
  ...ruleProcedures,
  ...setupProcedures,
  ...sponsorshipProcedures,
  ...systemProcedures,
  ...tankProcedures,
  ...tokenProcedures,
  ...transactionProcedures,
  ...vaultProcedures,
  ...webhookProcedures,
};

export type ProcedureName = keyof typeof procedures;
export type ProcedureInput<Name extends ProcedureName> = z.input<(typeof procedures)[Name]['input']>;
/** What a handler receives: the input after its schema has parsed it. */
export type ProcedureArguments<Name extends ProcedureName> = z.output<(typeof procedures)[Name]['input']>;
export type ProcedureOutput<Name extends ProcedureName> = z.output<(typeof procedures)[Name]['output']>;

/** False for inherited members of objects, such as `toString`. */
export const isProcedureName = (name: string): name is ProcedureName => Object.hasOwn(procedures, name);

export type Caller = <Name extends ProcedureName>(
  name: Name,
  input: ProcedureInput<Name>,
) => Promise<ProcedureOutput<Name>>;
