import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Caller } from '../api/index.ts';
import { CONTRACT_TYPE, ruleUpdate } from '../api/rules.ts';
import { bindingFields, bindingSentences } from '../core/rules/binding.ts';
import { ruleTypeOf, ruleTypes } from '../core/decision/rule-words.ts';
import { readSenders, sendersErrorWords } from '../core/rules/senders/index.ts';
import { chainSymbol } from '../shared/chains.ts';
import { EngineError } from '../shared/errors.ts';
import { parseExactJson } from '../shared/schema/decimal.ts';
import { id, name } from '../shared/schema/text.ts';
import { command, group, printFromDesk } from './command.ts';
import { type DeskOptions, onFile } from './desk.ts';
import { calling, withFields } from './fields.ts';
import { withIds } from './names.ts';
import { dapp, timeArgument } from './words.ts';

const types = ruleTypes.map(({ setup }) => setup.policyType);

const invalid = (message: string): EngineError => new EngineError('VALIDATION', message, { errors: [message] });

/** Reads a file of text. @throws EngineError `CONFIG_INVALID` if it cannot be read */
const readText = (file: string): Promise<string> => onFile(`read the file ${file}`, () => readFile(file, 'utf8'));

/** Reads a rule's data: JSON, or `@` followed by the name of a file with JSON. Numbers keep all their digits. */
const readData = async (text: string): Promise<Record<string, unknown>> => {
  const json = text.startsWith('@') ? await readText(text.slice(1)) : text;
  try {
    const data = parseExactJson(json);
    if (typeof data === 'object' && data !== null && !Array.isArray(data)) return { ...data };
  } catch {
    // The error is reported below.
  }
  throw invalid('--policy-data must be a JSON object, or @ and the file that contains one');
};

/** The accounts listed in a file, one per line or as CSV. */
const sendersIn = async (file: string): Promise<readonly string[]> => {
  const { addresses, errors } = readSenders(await readText(file));
  const [first] = errors;
  if (first !== undefined) throw invalid(`${file}, line ${sendersErrorWords(first)}`);
  return addresses;
};

/** The data to send, from `--policy-data` and `--senders`; undefined if neither is given. */
const sentData = async (
  json: string | undefined,
  senders: string | undefined,
  known: object = {},
): Promise<Record<string, unknown> | undefined> => {
  if (json === undefined && senders === undefined) return undefined;
  const data = json === undefined ? { ...known } : await readData(json);
  return senders === undefined ? data : { ...data, addresses: await sendersIn(senders) };
};

const list = calling(
  'list',
  'List the rules of a DApp',
  'rules.list',
  { paymasterId: dapp, whole: null },
  async (all, { input: { paymasterId }, call, json }) => {
    const rules = all.filter(({ policyType }) => policyType !== CONTRACT_TYPE);
    if (json) return rules;
    const [owner] = (await call('paymasters.list', {})).filter((one) => one.paymasterId === paymasterId);
    const chains = await call('chains.list', {});
    const coin = chainSymbol(
      owner?.chainId ?? 0,
      chains.find(({ chainId }) => chainId === owner?.chainId),
    );
    return rules.map(({ _id: ruleId, name, policyType, policyData, active, ...rule }) => ({
      ruleId,
      name,
      type: policyType,
      active,
      does: [ruleTypeOf(policyType).setup.sentence(policyData, coin), ...bindingSentences(rule)].join(' '),
    }));
  },
);

interface WritingOptions extends DeskOptions {
  readonly policyData?: string;
  readonly senders?: string;
}

/** A time, or `none` to remove the setting. */
const orNone = { parse: timeArgument, none: 'none' };

const shared = {
  policyData: {
    add: (to: Command) =>
      to
        .option('--policy-data <json|@file>', 'policyData of the rule as JSON, or @ and a file with it')
        .option('--senders <file>', 'addresses of a SENDERS rule: one per line, or CSV'),
    // The value is read elsewhere, because it may depend on the rule's current data.
    read: () => undefined,
  },
  when: '--when <expression>  apply the rule only to operations that meet this condition (CEL)',
  enforcement: 'shadow: the rule is evaluated and counted, but denies nothing',
};

const newRule = z.strictObject({
  paymasterId: id,
  policyType: z.enum(types),
  name,
  policyData: ruleUpdate.shape.policyData,
  ...bindingFields,
});

const add = withFields(
  command('add', 'Add a rule to a DApp'),
  newRule,
  {
    paymasterId: dapp,
    policyType: '--type <type>  type of the rule',
    name: 'name of the rule',
    policyData: shared.policyData,
    when: shared.when,
    activeFrom: {
      words: '--active-from <time>  start of the period in which the rule applies: epoch ms or ISO 8601',
      parse: timeArgument,
    },
    activeUntil: { words: '--active-until <time>  end of that period', parse: timeArgument },
    enforcement: shared.enforcement,
  },
  ({ paymasterId, ...rule }: z.input<typeof newRule>, options: WritingOptions) =>
    printFromDesk(options, async (call) => {
      const policyData = (await sentData(options.policyData, options.senders)) ?? {};
      return call('rules.create', { paymasterId, rule: { ...rule, policyData } });
    }),
);

const target = { paymasterId: dapp, ruleId: '<rule>  name of the rule, or its id' };
const changedRule = z.strictObject({ paymasterId: id, ruleId: id, ...ruleUpdate.shape });

const update = withFields(
  command('update', 'Update a rule. Changing the data of a limit starts a new window, except for a lifetime limit'),
  changedRule,
  {
    ...target,
    name: 'name of the rule',
    policyData: shared.policyData,
    when: { words: shared.when, none: 'none' },
    activeFrom: { words: '--active-from <time>  start of the period in which the rule applies, or "none"', ...orNone },
    activeUntil: { words: '--active-until <time>  end of that period, or "none"', ...orNone },
    enforcement: shared.enforcement,
  },
  ({ paymasterId, ruleId, ...changes }: z.input<typeof changedRule>, options: WritingOptions) =>
    printFromDesk(options, async (call) => {
      const target = await withIds(call, { paymasterId, ruleId });
      const rules = options.senders === undefined ? [] : await call('rules.list', { paymasterId: target.paymasterId });
      const known = rules.find(({ _id }) => _id === target.ruleId);
      const policyData = await sentData(options.policyData, options.senders, known?.policyData);
      return call('rules.update', { ...target, update: { ...changes, ...(policyData && { policyData }) } });
    }),
);

const acting = (name: string, summary: string, procedure: 'rules.activate' | 'rules.deactivate' | 'rules.delete') =>
  calling(name, summary, procedure, target, (_none, { input: { ruleId } }) => ({ ruleId }));

/** The answer of a command on a DApp's rules, with the name of each rule and contract after its id. */
const withNames = async <Row extends { readonly ruleId: string }>(
  rows: readonly Row[],
  { input: { paymasterId }, call, json }: { input: { paymasterId: string }; call: Caller; json: boolean },
) => {
  if (json) return rows;
  const names = new Map((await call('rules.list', { paymasterId })).map(({ _id, name }) => [_id, name]));
  return rows.map(({ ruleId, ...row }) => ({ ruleId, name: names.get(ruleId), ...row }));
};

/** `gasdesk rule` */
export const ruleCommand = group('rule', 'Rules of DApps', [
  list,
  add,
  update,
  acting('pause', 'Pause a rule; its cycle continues', 'rules.deactivate'),
  acting('unpause', 'Unpause a rule', 'rules.activate'),
  acting('remove', 'Remove a rule', 'rules.delete'),
  calling(
    'shadow-results',
    'Show what rules in shadow would have denied since they were set',
    'rules.shadowResults',
    { paymasterId: dapp },
    withNames,
  ),
  calling(
    'last-uses',
    'Show when each contract and rule was last used',
    'rules.lastUses',
    { paymasterId: dapp, last: '--last <n>  how many decisions to read, the newest ones' },
    withNames,
  ),
]);
