import { readFile } from 'node:fs/promises';
import { Option } from 'commander';
import type { ProcedureInput } from '../api/index.ts';
import { CONTRACT_TYPE } from '../api/rules.ts';
import { bindingSentences } from '../core/binding.ts';
import { ruleTypeOf, ruleTypes } from '../core/rule-words.ts';
import { readSenders } from '../core/rules/senders/index.ts';
import { chainSymbol } from '../shared/chains.ts';
import { EngineError } from '../shared/errors.ts';
import { parseExactJson } from '../shared/schema/decimal.ts';
import { command, group, printFromDesk } from './command.ts';
import type { DeskOptions } from './desk.ts';
import { timeArgument } from './time-argument.ts';

type RuleUpdate = ProcedureInput<'rules.update'>['update'];

const types = ruleTypes.map(({ setup }) => setup.policyType);

const invalid = (message: string): EngineError => new EngineError('VALIDATION', message, { errors: [message] });

/** What `--data` says where rules are written: what a rule says, and the data folder, as for every command. */
interface Data {
  readonly rule?: string;
  readonly folder?: string;
}

const dataArgument = (text: string, before: Data = {}): Data =>
  /^\s*[{@]/.test(text) ? { ...before, rule: text.trim() } : { ...before, folder: text };

const deskOf = ({ data, ...options }: Omit<DeskOptions, 'data'> & { data?: Data }): DeskOptions => ({
  ...options,
  ...(data?.folder !== undefined && { data: data.folder }),
});

/** Reads the data of a rule: JSON, or `@` and the file that holds it. Numbers keep all their digits. */
const readData = async (text: string): Promise<Record<string, unknown>> => {
  const json = text.startsWith('@') ? await readFile(text.slice(1), 'utf8') : text;
  try {
    const data = parseExactJson(json);
    if (typeof data === 'object' && data !== null && !Array.isArray(data)) return { ...data };
  } catch {
    // Said below.
  }
  throw invalid('--data must be a JSON object, or @ and the file that holds one');
};

/** The accounts of a file, one per line or CSV. */
const sendersIn = async (file: string): Promise<readonly string[]> => {
  const { addresses, faults } = readSenders(await readFile(file, 'utf8'));
  const [first] = faults;
  if (first !== undefined) throw invalid(`${file}, line ${first.line} holds no address: ${first.text}`);
  return addresses;
};

/** What is sent of `--data` and `--senders`; undefined where neither is given. */
const sentData = async (
  json: string | undefined,
  senders: string | undefined,
  known: object = {},
): Promise<Record<string, unknown> | undefined> => {
  if (json === undefined && senders === undefined) return undefined;
  const data = json === undefined ? { ...known } : await readData(json);
  return senders === undefined ? data : { ...data, addresses: await sendersIn(senders) };
};

const sendersOption = () => new Option('--senders <file>', 'addresses of a SENDERS rule: one per line, or CSV');

/** Takes away what was set. */
const NONE = 'none';

const timeOrNone = (text: string): number | typeof NONE => (text === NONE ? NONE : timeArgument(text));

const orNull = <Value>(value: Value | typeof NONE): Value | null => (value === NONE ? null : value);

const whenOption = () => new Option('--when <expression>', 'binds only operations that meet this condition (CEL)');

const enforcement = () =>
  new Option('--enforcement <enforcement>', 'shadow: it is evaluated and counted, and denies nothing').choices([
    'enforce',
    'shadow',
  ]);

interface OwnerFlags {
  dapp: string;
}

const ofDapp = (name: string, summary: string) =>
  command(name, summary).requiredOption('--dapp <id>', 'paymasterId of the DApp');

const list = ofDapp('list', 'List the rules of a DApp').action(({ dapp, ...options }: DeskOptions & OwnerFlags) =>
  printFromDesk(options, async (call) => {
    const all = await call('rules.list', { paymasterId: dapp });
    const rules = all.filter(({ policyType }) => policyType !== CONTRACT_TYPE);
    if (options.json === true) return rules;
    const [owner] = (await call('paymasters.list', {})).filter(({ paymasterId }) => paymasterId === dapp);
    const chains = await call('chains.list', {});
    const coin = chainSymbol(
      owner?.chainId ?? 0,
      chains.find(({ chainId }) => chainId === owner?.chainId),
    );
    return rules.map(({ _id: ruleId, name, policyType, policyData, active, ...rule }) => ({
      ...{ ruleId, name, type: policyType, active },
      does: [ruleTypeOf(policyType).setup.sentence(policyData, coin), ...bindingSentences(rule)].join(' '),
    }));
  }),
);

/** A command that writes a rule. */
const writing = (name: string, summary: string) => {
  const made = ofDapp(name, summary);
  const data = made.options.find(({ long }) => long === '--data');
  if (data === undefined) throw new Error('Every command takes --data');
  data.flags = '--data <json|@file|dir>';
  data.description = `policyData of the rule as JSON or @FILE; may also be given with ${data.description}`;
  data.argParser(dataArgument);
  return made;
};

type WritingOptions = Omit<DeskOptions, 'data'> & OwnerFlags & { data?: Data };

interface AddFlags {
  type: string;
  name: string;
  senders?: string;
  when?: string;
  activeFrom?: number;
  activeUntil?: number;
  enforcement?: 'enforce' | 'shadow';
}

const add = writing('add', 'Add a rule to a DApp')
  .addOption(new Option('--type <type>', 'type of the rule').choices(types).makeOptionMandatory())
  .requiredOption('--name <name>', 'name of the rule')
  .addOption(sendersOption())
  .addOption(whenOption())
  .option('--active-from <time>', 'binds from then on: epoch ms or ISO 8601', timeArgument)
  .option('--active-until <time>', 'binds until then', timeArgument)
  .addOption(enforcement())
  .action(({ dapp, type, name, senders, ...options }: WritingOptions & AddFlags) =>
    printFromDesk(deskOf(options), async (call) => {
      const policyData = (await sentData(options.data?.rule, senders)) ?? {};
      const { data: _data, json: _json, passphraseFile: _file, ...binding } = options;
      const rule = { name, policyType: type, policyData, ...binding };
      return call('rules.create', { paymasterId: dapp, rule });
    }),
  );

interface UpdateFlags {
  name?: string;
  senders?: string;
  when?: string;
  activeFrom?: number | typeof NONE;
  activeUntil?: number | typeof NONE;
  enforcement?: 'enforce' | 'shadow';
}

const update = writing('update', 'Update a rule. Other data of a limit starts a new cycle')
  .argument('<id>', 'id of the rule')
  .option('--name <name>', 'name of the rule')
  .addOption(sendersOption())
  .addOption(whenOption())
  .option('--active-from <time>', 'binds from then on, or "none"', timeOrNone)
  .option('--active-until <time>', 'binds until then, or "none"', timeOrNone)
  .addOption(enforcement())
  .action(
    (
      ruleId: string,
      {
        dapp,
        name,
        senders,
        when,
        activeFrom,
        activeUntil,
        enforcement: how,
        ...options
      }: WritingOptions & UpdateFlags,
    ) =>
      printFromDesk(deskOf(options), async (call) => {
        const rules = senders === undefined ? [] : await call('rules.list', { paymasterId: dapp });
        const known = rules.find(({ _id }) => _id === ruleId);
        const policyData = await sentData(options.data?.rule, senders, known?.policyData);
        const changes: RuleUpdate = {
          ...(name !== undefined && { name }),
          ...(policyData !== undefined && { policyData }),
          ...(when !== undefined && { when: orNull(when) }),
          ...(activeFrom !== undefined && { activeFrom: orNull(activeFrom) }),
          ...(activeUntil !== undefined && { activeUntil: orNull(activeUntil) }),
          ...(how !== undefined && { enforcement: how }),
        };
        return call('rules.update', { paymasterId: dapp, ruleId, update: changes });
      }),
  );

const acting = (name: string, summary: string, procedure: 'rules.activate' | 'rules.deactivate' | 'rules.delete') =>
  ofDapp(name, summary)
    .argument('<id>', 'id of the rule')
    .action((ruleId: string, { dapp, ...options }: DeskOptions & OwnerFlags) =>
      printFromDesk(options, async (call) => {
        await call(procedure, { paymasterId: dapp, ruleId });
        return { ruleId };
      }),
    );

const results = ofDapp('shadow-results', 'Tell what rules in shadow would have denied since they were set').action(
  ({ dapp, ...options }: DeskOptions & OwnerFlags) =>
    printFromDesk(options, (call) => call('rules.shadowResults', { paymasterId: dapp })),
);

/** `gasdesk rule` */
export const ruleCommand = group('rule', 'Rules of DApps', [
  list,
  add,
  update,
  acting('pause', 'Pause a rule; its cycle goes on', 'rules.deactivate'),
  acting('unpause', 'Unpause a rule', 'rules.activate'),
  acting('remove', 'Remove a rule', 'rules.delete'),
  results,
]);
