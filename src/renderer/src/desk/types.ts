import type { ProcedureOutput } from '../../../api/index.ts';

/** State of the engine. */
export type SystemInfo = ProcedureOutput<'system.info'>;
/** A DApp. */
export type Dapp = ProcedureOutput<'paymasters.list'>[number];
/** A chain and how its coin is called. */
export type Chain = ProcedureOutput<'chains.list'>[number];
/** A rule, or a registered contract among the rules. */
export type Rule = ProcedureOutput<'rules.list'>[number];
/** How much of a limit is used. */
export type LimitUsage = ProcedureOutput<'rules.usage'>[number];
/** What a rule in shadow would have denied. */
export type ShadowResult = ProcedureOutput<'rules.shadowResults'>[number];
/** What is signed for, and what there is to pay it with. */
export type Exposure = ProcedureOutput<'exposure.get'>;
/** Decisions, counted by outcome and rule, and what was spent on them. */
export type DecisionSummary = ProcedureOutput<'decisions.summary'>;
/** A registered webhook. */
export type Webhook = ProcedureOutput<'webhooks.list'>[number];
/** A paymaster version that a DApp may have. */
export type PaymasterVersion = ProcedureOutput<'paymasterContracts.versions'>[number];
