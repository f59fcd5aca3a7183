import { z } from 'zod';
import { policySchema } from '../core/policy/policy.ts';
import { id } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

/** A difference between two policies, in words. */
export const policyChange = z.strictObject({
  change: z.enum(['added', 'changed', 'removed']),
  text: z.string().describe('What differs, by names'),
});

const testResult = z.strictObject({
  name: z.string(),
  passed: z.boolean(),
  expected: z.string(),
  actual: z.string().describe('"sponsored", or "denied: " and the code'),
  message: z.string().describe('Why it is denied; empty if it is sponsored'),
});

const revision = z.string().max(100).describe('The name of a revision, or its beginning: 4 or more hex digits');
const revisionName = z.string().describe('sha256: and the hash of its canonical JSON');

const file = {
  text: z.string().describe('A policy file: YAML'),
  expect: revision.optional().describe('Refused if another revision is in force'),
};

const applied = z.strictObject({ paymasterId: id, ...file });

export type PolicyChangeView = z.output<typeof policyChange>;

export type PolicyTestView = z.output<typeof testResult>;

export const policyProcedures = {
  'policies.history': procedure({
    summary: 'List the policies of a DApp that were in force, newest first, each with what changed',
    input: z.strictObject({ paymasterId: id, limit: z.int().min(1).max(200).default(50) }),
    output: z.array(
      z.strictObject({
        revision: revisionName,
        at: z.number().describe('Since when, epoch ms'),
        changes: z.array(policyChange).nullable().describe('Changes from the previous revision; null for the first'),
      }),
    ),
    errors: ['PAYMASTER_NOT_FOUND', 'PAYMASTER_NOT_READY'],
  }),
  'policies.show': procedure({
    summary: 'Show the policy of a DApp that is in force, or a revision of it',
    input: z.strictObject({ paymasterId: id, revision: revision.optional() }),
    output: z.strictObject({
      revision: revisionName,
      isInForce: z.boolean(),
      policy: policySchema,
      file: z.string().describe('The part that a policy file contains'),
      settings: z
        .array(z.strictObject({ title: z.string(), value: z.string() }))
        .describe('The part that a file cannot contain'),
    }),
    errors: ['PAYMASTER_NOT_FOUND', 'PAYMASTER_NOT_READY', 'POLICY_REVISION_NOT_FOUND'],
  }),
  'policies.diff': procedure({
    summary: 'Show what differs between two revisions of the policy of a DApp',
    input: z.strictObject({ paymasterId: id, from: revision, to: revision }),
    output: z.strictObject({ from: revisionName, to: revisionName, changes: z.array(policyChange) }),
    errors: ['PAYMASTER_NOT_FOUND', 'PAYMASTER_NOT_READY', 'POLICY_REVISION_NOT_FOUND'],
  }),
  'policies.export': procedure({
    summary: 'Write the policy of a DApp as a file, without credentials',
    input: z.strictObject({
      paymasterId: id,
      into: file.text.optional().describe('A policy file: unchanged parts stay as they are written'),
    }),
    output: z.strictObject({ revision: revisionName, text: file.text }),
    errors: ['PAYMASTER_NOT_FOUND', 'PAYMASTER_NOT_READY', 'POLICY_FILE_INVALID'],
  }),
  'policies.plan': procedure({
    summary: 'Show what a policy file would change, and the results of its tests; changes nothing',
    input: z.strictObject({ paymasterId: id, ...file }),
    output: z.strictObject({
      revision: revisionName.describe('The revision in force, which the file would change'),
      changes: z.array(policyChange),
      tests: z.array(testResult),
    }),
    errors: ['PAYMASTER_NOT_FOUND', 'PAYMASTER_NOT_READY', 'POLICY_FILE_INVALID', 'POLICY_CHANGED'],
  }),
  'policies.apply': procedure({
    summary: 'Apply a policy file to a DApp, as one revision or not at all',
    input: applied,
    output: z.strictObject({
      before: revisionName,
      revision: revisionName.describe('The revision now in force; the same as before if nothing has changed'),
      changes: z.array(policyChange),
      tests: z.array(testResult),
    }),
    errors: [
      'PAYMASTER_NOT_FOUND',
      'PAYMASTER_NOT_READY',
      'POLICY_FILE_INVALID',
      'POLICY_TESTS_FAILED',
      'POLICY_CHANGED',
      'CONTRACT_ADDRESS_EXISTS',
      'RULE_NAME_EXISTS',
    ],
  }),
  'policies.test': procedure({
    summary: 'Run the tests of a policy file; changes nothing',
    input: z.strictObject({
      text: file.text,
      paymasterId: id.optional().describe('The DApp whose version and chain are used; absent: 1.1.0 on Ethereum'),
    }),
    output: z.array(testResult),
    errors: ['PAYMASTER_NOT_FOUND', 'PAYMASTER_NOT_READY', 'POLICY_FILE_INVALID'],
  }),
};
