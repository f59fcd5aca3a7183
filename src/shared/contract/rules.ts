import { z } from 'zod';
import { address } from '../schema/hex.ts';
import { typedLimit, typedLimitUpdate, typedRuleDefinition } from '../schema/rule.ts';
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

const limitUsage = z.strictObject({
  ruleId: z.string(),
  name: z.string(),
  active: z.boolean(),
  unit: z.enum(['operations', 'wei']),
  threshold: z.string().describe('In the unit, decimal'),
  used: z.string().describe('Reserved and settled in the window; of a limit per user, what the one who used most has'),
  windowEndsAt: z.number().describe('epoch ms'),
  perUser: z
    .strictObject({
      users: z.number().describe('How many have used it in this window'),
      atLimit: z.number().describe('How many of them have nothing left'),
      nearest: z.array(z.strictObject({ user: address, used: z.string() })).describe('The 10 nearest to it'),
    })
    .nullable()
    .describe('Null for a limit of all users together'),
});

const limitPreview = z.strictObject({
  users: z.number(),
  usersReached: z.number().describe('Users of whom an operation would have been denied'),
  operations: z.number().describe('Those sponsored, and those that a limit denied'),
  operationsDenied: z.number(),
  complete: z.boolean().describe('False: only the newest of the operations were looked at'),
});

const target = z.strictObject({ paymasterId: id, ruleId: id });

/** Rules (policies) of a DApp; registered contracts are listed among them. */
export const ruleProcedures = {
  'rules.create': procedure({
    summary: 'Add a rule: spending limit, webhook or wallet deployment',
    input: z.strictObject({ paymasterId: id, rule: typedRuleDefinition }),
    output: rule,
    errors: ['PAYMASTER_NOT_FOUND', 'RULE_NAME_EXISTS', 'VAULT_LOCKED'],
  }),
  'rules.list': procedure({
    summary: 'List the rules and registered contracts of a DApp',
    input: z.strictObject({ paymasterId: id }),
    output: z.array(rule),
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'rules.usage': procedure({
    summary: 'Tell how much of each spending limit of a DApp is used in its current window, and by whom',
    input: z.strictObject({ paymasterId: id }),
    output: z.array(limitUsage),
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'rules.preview': procedure({
    summary: "Tell what a limit would have done to a DApp's operations of the last 24 hours",
    input: z.strictObject({ paymasterId: id, limit: typedLimit }),
    output: limitPreview,
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'rules.updateLimit': procedure({
    summary: 'Update a spending limit; its cycle starts anew',
    input: z.strictObject({ ...target.shape, update: typedLimitUpdate }),
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
