import { z } from 'zod';
import { address } from '../schema/hex.ts';
import { limitUpdate, ruleDefinition } from '../schema/rule.ts';
import { id } from '../schema/text.ts';
import { procedure } from './procedure.ts';

const policyData = z.union([
  z.strictObject({
    type: z.enum(['PAYMASTER', 'SMART_ACCOUNT']),
    cycleDuration: z.strictObject({ value: z.number(), unit: z.enum(['hour', 'day']) }),
    threshold: z.string().describe('Exact decimal digits; a JSON number on the management interface'),
    thresholdType: z.enum(['COUNT', 'NATIVE_ASSET']),
    startTimeInEpoch: z.number(),
    durationInMs: z.number(),
  }),
  z.strictObject({ url: z.string(), failOpen: z.boolean().optional() }),
  z.strictObject({ operator: z.literal('walletDeployment') }),
  z.strictObject({ address, whitelistedMethods: z.array(z.string()), methods: z.array(z.string()) }),
]);

const rule = z.strictObject({
  _id: z.string(),
  name: z.string(),
  policyType: z.enum(['PAYMASTER_SA_LIMIT', 'WEBHOOK', 'WALLET_DEPLOYMENT', 'WHITELISTED_CONTRACT']),
  organisationId: z.string(),
  paymasterId: z.string(),
  createdBy: z.string(),
  chainId: z.number(),
  active: z.boolean(),
  policyData,
});

const target = z.strictObject({ paymasterId: id, ruleId: id });

/** Rules (policies) of a DApp; registered contracts are listed among them. */
export const ruleProcedures = {
  'rules.create': procedure({
    summary: 'Add a rule: spending limit, webhook or wallet deployment',
    input: z.strictObject({ paymasterId: id, rule: ruleDefinition }),
    output: rule,
    errors: ['PAYMASTER_NOT_FOUND', 'RULE_NAME_EXISTS', 'VAULT_LOCKED'],
  }),
  'rules.list': procedure({
    summary: 'List the rules and registered contracts of a DApp',
    input: z.strictObject({ paymasterId: id }),
    output: z.array(rule),
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'rules.updateLimit': procedure({
    summary: 'Update a spending limit; its cycle starts anew',
    input: z.strictObject({ ...target.shape, update: limitUpdate }),
    output: z.null(),
    errors: ['PAYMASTER_NOT_FOUND', 'RULE_NOT_FOUND', 'RULE_NAME_EXISTS', 'NOT_A_LIMIT'],
  }),
  'rules.activate': procedure({
    summary: 'Unpause a rule',
    input: target,
    output: z.null(),
    errors: ['PAYMASTER_NOT_FOUND', 'RULE_NOT_FOUND'],
  }),
  'rules.deactivate': procedure({
    summary: 'Pause a rule; its cycle goes on',
    input: target,
    output: z.null(),
    errors: ['PAYMASTER_NOT_FOUND', 'RULE_NOT_FOUND'],
  }),
};
