import type { ProcedureOutput } from '../../../api/index.ts';

export type SystemInfo = ProcedureOutput<'system.info'>;
export type Dapp = ProcedureOutput<'paymasters.list'>[number];
export type Chain = ProcedureOutput<'chains.list'>[number];
/** A rule, or a registered contract, which is listed among the rules. */
export type Rule = ProcedureOutput<'rules.list'>[number];
export type LimitUsage = ProcedureOutput<'rules.usage'>[number];
export type LastUse = ProcedureOutput<'rules.lastUses'>[number];
export type ShadowResult = ProcedureOutput<'rules.shadowResults'>[number];
export type Exposure = ProcedureOutput<'exposure.get'>;
export type DecisionSummary = ProcedureOutput<'decisions.summary'>;
export type Webhook = ProcedureOutput<'webhooks.list'>[number];
export type PaymasterVersion = ProcedureOutput<'paymasterContracts.versions'>[number];
