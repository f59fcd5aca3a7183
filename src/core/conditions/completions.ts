import { entryPointVersion } from '../../shared/schema/user-operation.ts';
import { isLoopName } from './syntax-tree.ts';
import { REFUSED } from './condition.ts';
import { type KnownContract, knownMethods } from './known-methods.ts';
import { conditionEnvironment, vocabulary } from './vocabulary.ts';

/** A suggestion of what to type next in a condition. */
export interface Completion {
  /** The text in the list. It is also the text to insert, unless `text` differs. */
  readonly label: string;
  readonly kind: 'name' | 'function' | 'value';
  /** Its type or origin. */
  readonly detail: string;
  readonly text: string;
}

/** The suggestions at a position; `from` is the start of the text that they replace. */
export interface Completions {
  readonly from: number;
  /** True if every valid continuation is a suggestion: after a dot, and in quotes. */
  readonly isExpected: boolean;
  readonly options: readonly Completion[];
}

const CONTEXT = ['policyId', 'sponsorshipPolicyId', 'webhookData'];
/** Names in the CEL library that are of no use in conditions. */
const UNUSED: ReadonlySet<string> = new Set(['google', 'optional', 'cel', 'dyn', 'type']);
const LOOP_VARIABLES = ['c', 'd', 'e'];

const { variables, functions } = conditionEnvironment.getDefinitions();
const available = functions.filter(({ name }) => !Object.hasOwn(REFUSED, name) && !UNUSED.has(name));
type Definition = (typeof available)[number];

const word = (label: string, detail: string): Completion => ({ label, kind: 'name', detail, text: label });

const distinct = (options: readonly Completion[]): Completion[] =>
  [...new Map(options.toReversed().map((option) => [option.label, option])).values()].toReversed();

/** The last quote in a text if it is not closed, and its position. */
const openQuote = (text: string): { readonly quote: string; readonly at: number } | undefined => {
  let open: { quote: string; at: number } | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (open === undefined && (character === '"' || character === "'")) open = { quote: character, at };
    else if (open !== undefined && character === '\\') at += 1;
    else if (character === open?.quote) open = undefined;
  }
  return open;
};

/** The text with the content of its quotes blanked, at the same length. */
const withoutQuoted = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, (quoted) => quoted.charAt(0).repeat(2).padEnd(quoted.length));

/** A name and the accesses that follow it: `context.plan["tier"]`, `time.getHours()`. */
const CHAIN = String.raw`[A-Za-z_]\w*(?:\.\w+|\[[^[\]]*\]|\(\))*`;
const LOOP = new RegExp(String.raw`(${CHAIN})\.(?:all|exists|exists_one|map|filter)\(\s*([A-Za-z_]\w*)\s*,`, 'g');

const isOpenAfter = (text: string): boolean => {
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth < 0) return false;
  }
  return true;
};

/** Replaces a loop variable at the start of a chain by the list item it stands for. */
const resolved = (chain: string, scope: ReadonlyMap<string, string>): string =>
  chain.replace(/^\w+/, (name) => scope.get(name) ?? name);

/** The variables of the loops that are not closed at the end of a text. Each maps to an item of its loop's list. */
const openLoops = (before: string): Map<string, string> => {
  const scope = new Map<string, string>();
  for (const loop of withoutQuoted(before).matchAll(LOOP)) {
    const [whole, list = '', variable = ''] = loop;
    const { index } = loop;
    if (!isOpenAfter(withoutQuoted(before).slice(index + whole.length))) continue;
    scope.set(variable, `${resolved(before.slice(index, index + list.length), scope)}[0]`);
  }
  return scope;
};

const typeOf = (chain: string): string => {
  const { valid, type } = conditionEnvironment.check(chain);
  return valid && type !== undefined ? type : 'none';
};

const shortType = (type: string): string => type.replace(/<.*>/, '').replace('google.protobuf.', '').toLowerCase();

const functionOption = ({ name, signature, params }: Definition, scope: ReadonlyMap<string, string>): Completion => {
  const variable = LOOP_VARIABLES.find((candidate) => !scope.has(candidate)) ?? 'f';
  const opened = params.length === 0 ? '()' : '(';
  return {
    label: name,
    kind: 'function',
    detail: isLoopName(name) ? 'loop' : signature.slice(signature.indexOf('(')),
    text: `${name}${isLoopName(name) ? `(${variable}, ` : opened}`,
  };
};

const methodsOf = (type: string, scope: ReadonlyMap<string, string>): Completion[] =>
  available
    .filter(({ receiverType }) => receiverType !== null)
    .filter(
      ({ receiverType }) =>
        shortType(type) === shortType(receiverType ?? '') || (type === 'dyn' && isData(receiverType)),
    )
    .map((method) => functionOption(method, scope));

/** True for types of untyped data, such as arguments and context. */
const isData = (type: string | null): boolean => ['string', 'list', 'map'].includes(shortType(type ?? ''));

const isKnownType = (type: string): type is keyof typeof vocabulary => Object.hasOwn(vocabulary, type);

const membersOf = (chain: string, scope: ReadonlyMap<string, string>, contracts: Contracts): Completion[] => {
  const type = typeOf(chain);
  if (isKnownType(type)) {
    return Object.entries(vocabulary[type]).map(([field, fieldType]) => word(field, shortType(fieldType)));
  }
  if (chain === 'context') return CONTEXT.map((name) => word(name, 'sent by the client'));
  if (chain.endsWith('.args') && typeOf(chain.slice(0, -'.args'.length)) === 'Call') return argumentsOf(contracts);
  return methodsOf(type, scope);
};

type Contracts = readonly KnownContract[];

const argumentsOf = (contracts: Contracts): Completion[] =>
  knownMethods(contracts).flatMap(({ contract, name, args }) =>
    args
      .filter(({ access }) => access.startsWith('.'))
      .map((argument) => word(argument.name, `${argument.type}, ${name} of ${contract}`)),
  );

/** Suggestions at the start of an expression. */
const startsOf = (scope: ReadonlyMap<string, string>): Completion[] => [
  ...[...scope].map(([name, item]) => word(name, `item of ${item.slice(0, -'[0]'.length)}`)),
  ...variables
    .filter(({ name, type }) => type !== 'type' && !UNUSED.has(name))
    .map(({ name, type }) => word(name, shortType(type))),
  ...available.filter(({ receiverType }) => receiverType === null).map((one) => functionOption(one, scope)),
  ...['true', 'false'].map((name) => word(name, 'bool')),
];

const valuesOf = (field: string, contracts: Contracts): Completion[] => {
  const methods = knownMethods(contracts);
  const value = (label: string, detail: string): Completion => ({ label, kind: 'value', detail, text: label });
  switch (field) {
    case 'contract':
      return contracts.map(({ name }) => value(name, 'contract'));
    case 'target':
      return contracts.map(({ name, address }) => value(address.toLowerCase(), name));
    case 'method':
      return methods.map(({ name, contract }) => value(name, contract));
    case 'signature':
      return methods.map(({ signature, contract }) => value(signature, contract));
    case 'entryPoint':
      return entryPointVersion.options.map((version) => value(version, 'EntryPoint'));
    default:
      return [];
  }
};

const COMPARED = /\.(\w+)\s*(?:==|!=|\bin\s*\[(?:\s*"[^"]*"\s*,)*)\s*$/;

const written = (text: string, quote: string): string => {
  const escaped = JSON.stringify(text).slice(1, -1);
  return quote === "'" ? escaped.replaceAll(String.raw`\"`, '"').replaceAll("'", String.raw`\'`) : escaped;
};

/**
 * Suggests what to type next in a condition: variables, fields, functions, and names of the registered contracts.
 * @param before the text before the cursor
 */
export const completionsAfter = (before: string, contracts: readonly KnownContract[]): Completions => {
  const open = openQuote(before);
  if (open !== undefined) {
    const field = COMPARED.exec(before.slice(0, open.at))?.[1] ?? '';
    const options = valuesOf(field, contracts).map((value) => ({ ...value, text: written(value.text, open.quote) }));
    return { from: open.at + 1, isExpected: true, options: distinct(options) };
  }
  const [typed = ''] = /[A-Za-z_]\w*$/.exec(before) ?? [];
  const from = before.length - typed.length;
  const lead = before.slice(0, from);
  const scope = openLoops(before);
  if (lead.endsWith('.')) {
    const [chain] = new RegExp(`${CHAIN}$`).exec(lead.slice(0, -1)) ?? [];
    const options = chain === undefined ? [] : membersOf(resolved(chain, scope), scope, contracts);
    return { from, isExpected: true, options: distinct(options) };
  }
  const field = COMPARED.exec(lead)?.[1] ?? '';
  const values = valuesOf(field, contracts).map((value) => ({ ...value, text: JSON.stringify(value.text) }));
  return { from, isExpected: false, options: distinct([...values, ...startsOf(scope)]) };
};
