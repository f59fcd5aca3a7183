import { z } from 'zod';
import { type ProcedureOutput, contract } from '../../shared/contract/index.ts';
import { JsonNumber } from '../../shared/schema/decimal.ts';
import { limitUpdate, ruleDefinition } from '../../shared/schema/rule.ts';
import { type OperationCaller, type OperationInput, operation } from './operation.ts';

const path = '/paymaster-policy';
const nothing = z.strictObject({});

type RuleRecord = ProcedureOutput<'rules.create'>;

/** On this interface a threshold is a JSON number, of exactly the digits that are kept. */
const view = (rule: RuleRecord) =>
  'threshold' in rule.policyData
    ? { ...rule, policyData: { ...rule.policyData, threshold: new JsonNumber(rule.policyData.threshold) } }
    : rule;

const target = ({
  paymaster: { paymasterId },
  path: { ruleId = '' },
}: OperationInput<unknown> & OperationCaller<'dapp'>) => ({
  paymasterId,
  ruleId,
});

/** Rules (service-interface 4.5). */
export const ruleOperations = [
  operation({
    method: 'post',
    path,
    summary: 'Add a spending limit, webhook or wallet deployment rule',
    message: 'Paymaster Policy created successfully',
    access: 'dapp',
    body: ruleDefinition,
    data: contract['rules.create'].output,
    async run({ service, paymaster: { paymasterId }, body }) {
      return view(await service.run('rules.create', { paymasterId, rule: body }));
    },
  }),
  operation({
    method: 'get',
    path,
    summary: 'Get all rules, registered contracts among them',
    message: 'Paymaster Policies found!',
    access: 'dapp',
    body: nothing,
    data: contract['rules.list'].output,
    async run({ service, paymaster: { paymasterId } }) {
      return (await service.run('rules.list', { paymasterId })).map(view);
    },
  }),
  operation({
    method: 'patch',
    path: `${path}/limit/:ruleId`,
    summary: 'Update a spending limit; its cycle starts anew',
    message: 'Paymaster Limit updated',
    access: 'dapp',
    body: limitUpdate,
    statuses: [404],
    async run(input) {
      await input.service.run('rules.updateLimit', { ...target(input), update: input.body });
    },
  }),
  operation({
    method: 'patch',
    path: `${path}/deactivate/:ruleId`,
    summary: 'Pause a rule',
    message: 'Paymaster Policy Deactivated!',
    access: 'dapp',
    body: nothing,
    statuses: [404],
    async run(input) {
      await input.service.run('rules.deactivate', target(input));
    },
  }),
  operation({
    method: 'patch',
    path: `${path}/activate/:ruleId`,
    summary: 'Unpause a rule',
    message: 'Paymaster Policy Activated!',
    access: 'dapp',
    body: nothing,
    statuses: [404],
    async run(input) {
      await input.service.run('rules.activate', target(input));
    },
  }),
];
