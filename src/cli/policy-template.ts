import { InvalidArgumentError } from 'commander';
import type { Caller } from '../api/index.ts';
import type { Field, Template } from '../core/policy-file/templates/template.ts';
import type { TypedValues } from '../core/rules/field.ts';
import { chainSymbol } from '../shared/chains.ts';
import { EngineError } from '../shared/errors.ts';
import { type ApplyFlags, addApplyOptions, applyFile, printResult } from './apply-policy.ts';
import { command } from './command.ts';
import { type DeskOptions, withDesk } from './desk.ts';
import { print } from './human-text.ts';
import { printNote, terminal } from './terminal.ts';

/** Imported here because it takes half of a command's start-up time, and only this command needs it. */
const loadTemplates = async () => {
  const [registry, template, start] = await Promise.all([
    import('../core/policy-file/templates/registry.ts'),
    import('../core/policy-file/templates/template.ts'),
    import('../core/policy-file/templates/start-from-template.ts'),
  ]);
  return { ...registry, ...template, ...start };
};

const invalid = (errors: readonly string[]): EngineError =>
  new EngineError('VALIDATION', errors.join('\n'), { errors });

const setting = (text: string, before: TypedValues = {}): TypedValues => {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Use FIELD=VALUE, such as budget=500.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
};

const requireTemplate = (templates: readonly Template[], name: string): Template => {
  const found = templates.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw invalid([`"${name}" is not a template. The templates are: ${templates.map((one) => one.name).join(', ')}`]);
};

const requireFields = ({ fields }: Template, typed: TypedValues): void => {
  const unknown = Object.keys(typed).filter((field) => !Object.hasOwn(fields, field));
  if (unknown.length === 0) return;
  throw invalid(unknown.map((field) => `"${field}" is not a field. The fields are: ${Object.keys(fields).join(', ')}`));
};

/** What to type for fields of some kinds. */
const TYPED: Partial<Record<Field['kind'], string>> = { yes: 'yes or no', time: '2026-12-24, or 2026-12-24T18:00Z' };

const fieldLine = ([name, { kind, label, options, optional, unit, default: text }]: [string, Field]): string => {
  const typed = options === undefined ? (TYPED[kind] ?? unit) : Object.keys(options).join(' or ');
  const filled = text === '' ? 'must be given' : `default: ${text}`;
  return `  ${name.padEnd(20)}${label}${typed === undefined ? '' : ` (${typed})`}; ${optional === true ? 'optional' : filled}`;
};

/** Prints the purpose of a template, its fields, and what it does not protect against. */
const describe = (template: Template, values: TypedValues, json: boolean | undefined): void => {
  const { name, title, purpose, fields } = template;
  const leaves = template.leaves(values);
  printResult(
    json,
    { name, title, purpose, fields, leaves },
    `${title}: ${purpose}`,
    '',
    'Fields (--set FIELD=VALUE):',
    ...Object.entries(fields).map(fieldLine),
    '',
    'Remaining risks:',
    ...leaves.map((sentence) => `- ${sentence}`),
  );
};

/** The coin of a DApp's chain, and whether the coin has a price. */
const chainOf = async (call: Caller, paymasterId: string) => {
  const { policy } = await call('policies.show', { paymasterId });
  const { chainId } = policy.dapp;
  const chain = (await call('chains.list', {})).find((one) => one.chainId === chainId);
  return { chainId, coin: chainSymbol(chainId, policy.chain), hasPrice: (chain?.price ?? null) !== null };
};

interface Flags extends DeskOptions, ApplyFlags {
  readonly dapp?: string;
  readonly set?: TypedValues;
  readonly print?: boolean;
}

const start = async (
  call: Caller,
  template: Template,
  paymasterId: string,
  { set = {}, ...options }: Omit<Flags, 'dapp'>,
): Promise<void> => {
  const { startFromTemplate, defaultValues } = await loadTemplates();
  const { revision, text } = await call('policies.export', { paymasterId });
  const { chainId, coin, hasPrice } = await chainOf(call, paymasterId);
  const values = { ...defaultValues(template), ...set };
  const { now = Date.now() } = await call('system.info', {});
  const started = startFromTemplate(text, template, values, coin, now);
  if ('errors' in started) {
    throw invalid(started.errors.map(({ field, message }) => `${field} (${template.fields[field]?.label}) ${message}`));
  }
  const leaves = template.leaves(values);
  if (started.needsPrice && !hasPrice) {
    printNote(
      `Chain ${chainId} has no price of ${coin}: limits in US dollars deny every operation. ` +
        `Set one with "gasdesk chain set ${chainId} --usd AMOUNT".`,
    );
  }
  if (options.print === true) {
    if (options.json === true) print({ revision, ...started, leaves }, true);
    else terminal().stdout.write(started.text);
    return;
  }
  if (options.json !== true) {
    const does = started.does.map(({ name, sentence }) => `${name}: ${sentence}`);
    printResult(false, {}, ...does, '', 'Remaining risks:', ...leaves.map((one) => `- ${one}`), '');
  }
  await applyFile(call, { paymasterId, text: started.text, expect: options.expect ?? revision }, options);
};

/** `gasdesk policy template` */
export const templateCommand = addApplyOptions(
  command('template', 'List templates of policies, explain one, or add it to a policy')
    .argument('[name]', 'name of a template; without it, the command lists all templates')
    .option('--dapp <dapp>', 'name of the DApp, or its id; without it, the command explains the template')
    .option('--set <field=value>', 'fill in a field; may be given several times', setting)
    .option('--print', 'print the resulting policy file, and change nothing'),
  'show what would be added and changed, and change nothing',
).action(async (name: string | undefined, { dapp, ...options }: Flags) => {
  const { templates, defaultValues } = await loadTemplates();
  if (name === undefined) {
    const rows = templates.map((one) => ({ name: one.name, title: one.title, purpose: one.purpose }));
    print(rows, options.json === true);
    return;
  }
  const template = requireTemplate(templates, name);
  requireFields(template, options.set ?? {});
  if (dapp === undefined) describe(template, { ...defaultValues(template), ...options.set }, options.json);
  else await withDesk(options, (call) => start(call, template, dapp, options));
});
