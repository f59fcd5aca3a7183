import { type ProcedureOutput, procedures } from '../../api/index.ts';
import { EngineError } from '../../shared/errors.ts';
import { JsonNumber } from '../../shared/schema/decimal.ts';
import { limitUpdate, ruleDefinition, ruleUpdate } from '../../api/rules.ts';
import { type OperationCaller, type OperationInput, operation } from './operation.ts';

const path = '/paymaster-policy';

type RuleRecord = ProcedureOutput<'rules.create'>;

/** On this interface, a limit's threshold is a JSON number with exactly the digits that are stored. */
const view = (rule: RuleRecord) =>
  rule.policyType === 'PAYMASTER_SA_LIMIT'
    ? { ...rule, policyData: { ...rule.policyData, threshold: new JsonNumber(String(rule.policyData['threshold'])) } }
    : rule;

const target = ({
  dapp: { paymasterId },
  path: { ruleId = '' },
}: OperationInput<unknown> & OperationCaller<'dapp'>) => ({ paymasterId, ruleId });

/** Behaviour 8.8. */
export const ruleOperations = [
  operation({
    method: 'post',
    path,
    summary: 'Add a rule. Its policyType determines the fields of policyData',
    message: 'Paymaster Policy created successfully',
    body: ruleDefinition,
    data: procedures['rules.create'].output,
    async run({ service, dapp: { paymasterId }, body }) {
      return view(await service.run('rules.create', { paymasterId, rule: body, whole: true }));
    },
  }),
  operation({
    method: 'get',
    path,
    summary: 'Get all rules, including registered contracts',
    message: 'Paymaster Policies found!',
    data: procedures['rules.list'].output,
    async run({ service, dapp: { paymasterId }, mayChange: whole }) {
      return (await service.run('rules.list', { paymasterId, whole })).map(view);
    },
  }),
  operation({
    method: 'get',
    path: `${path}/:ruleId`,
    summary: 'Get a rule',
    message: 'Paymaster Policy found!',
    data: procedures['rules.create'].output,
    statuses: [404],
    async run(input) {
      const { paymasterId, ruleId } = target(input);
      const rules = await input.service.run('rules.list', { paymasterId, whole: input.mayChange });
      const rule = rules.find(({ _id }) => _id === ruleId);
      if (rule === undefined) throw new EngineError('RULE_NOT_FOUND');
      return view(rule);
    },
  }),
  operation({
    method: 'patch',
    path: `${path}/:ruleId`,
    summary:
      'Update a rule of any type. Changing the policyData of a limit starts a new window, except for a lifetime limit',
    message: 'Paymaster Policy updated',
    body: ruleUpdate,
    data: procedures['rules.update'].output,
    statuses: [404],
    async run(input) {
      return view(await input.service.run('rules.update', { ...target(input), update: input.body, whole: true }));
    },
  }),
  operation({
    method: 'delete',
    path: `${path}/:ruleId`,
    summary: 'Delete a rule',
    message: 'Paymaster Policy deleted',
    statuses: [404],
    async run(input) {
      await input.service.run('rules.delete', target(input));
    },
  }),
  operation({
    method: 'patch',
    path: `${path}/limit/:ruleId`,
    summary: 'Update a spending limit and start a new cycle',
    message: 'Paymaster Limit updated',
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
    statuses: [404],
    async run(input) {
      await input.service.run('rules.activate', target(input));
    },
  }),
];
