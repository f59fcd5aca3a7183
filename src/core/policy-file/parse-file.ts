import { EngineError } from '../../shared/errors.ts';
import { addressKey } from '../../shared/schema/hex.ts';
import { type PlacedError, readBy } from '../../shared/schema/parse.ts';
import { stateChangingMethods, whitelisted } from '../contract-abi/methods.ts';
import { type DappCounts, requireRoom } from '../policy/policy-bounds.ts';
import { bindingError } from '../rules/binding.ts';
import { ruleTypeOf } from '../decision/rule-words.ts';
import { webhookSetup } from '../rules/webhook.ts';
import { hasUserInfo, revealsCredentials } from '../webhooks/hidden-credentials.ts';
import { abiOfLines } from './abi-lines.ts';
import {
  ABI_ERROR,
  CREDENTIALS_ERROR,
  type FileContract,
  type FileRule,
  type PolicyFile,
  fileSchema,
} from './format.ts';
import { readYaml } from './read-yaml.ts';
import { fieldsOf } from './rule-data.ts';
import { encodeCall } from './test-operation.ts';

type Path = readonly PropertyKey[];
type Report = (path: Path, message: string) => void;

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The message for a list that contains a method which is not in the ABI. */
const methodWords = (error: unknown): string => {
  const { methods = [] } = (error instanceof EngineError ? error.data : {}) as { methods?: readonly string[] };
  return `names a method that is not in the ABI. ${wordsOf(error)}. The methods are: ${methods.join(', ') || 'none'}`;
};

/** Returns the result of `run`. If it throws, reports the error and returns undefined. */
const attempt = <T>(report: Report, path: Path, run: () => T, words = wordsOf): T | undefined => {
  try {
    return run();
  } catch (error) {
    report(path, words(error));
    return undefined;
  }
};

const abiOf = (report: Report, path: Path, abi: string | readonly string[]): string | undefined => {
  if (typeof abi === 'string') return abi;
  const lines = abi.map((line, index) =>
    attempt(
      report,
      [...path, index],
      () => abiOfLines([line]),
      () => 'must be a method such as "mint(uint256 amount)"',
    ),
  );
  return lines.includes(undefined) ? undefined : abiOfLines(abi);
};

const readContract = (
  report: Report,
  path: Path,
  { abi, methods, ...contract }: Omit<FileContract, 'abi'> & { abi: string | readonly string[] },
): FileContract => {
  const place = [...path, 'abi'];
  const json = abiOf(report, place, abi);
  const known =
    json === undefined
      ? undefined
      : attempt(
          report,
          place,
          () => stateChangingMethods(json),
          () => ABI_ERROR,
        );
  // If the ABI itself is invalid, methods are not looked up in it.
  if (known !== undefined) attempt(report, [...path, 'methods'], () => whitelisted(known, methods), methodWords);
  return { ...contract, abi: json ?? '[]', methods: [...new Set(methods)] };
};

const urlsWithCredentials = (value: unknown, path: Path, isSecret: (url: string) => boolean): Path[] => {
  if (typeof value === 'string') return isSecret(value) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  const entries: [PropertyKey, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, part]) => urlsWithCredentials(part, [...path, key], isSecret));
};

const checkRule = (report: Report, place: Path, { type, data, ...binding }: FileRule): void => {
  const path = [...place, 'data'];
  const error = bindingError(binding);
  if (error !== undefined) report(place, error);
  const { sent } = ruleTypeOf(type).setup;
  const read = readBy(sent, data);
  const errors: readonly PlacedError[] = 'errors' in read ? read.errors : [];
  for (const { path: inner, message } of errors) {
    const isUnknown = inner.length === 1 && message === 'should not exist';
    report(
      [...path, ...inner],
      isUnknown ? `is not a field here. The fields are: ${fieldsOf(sent).join(', ')}` : message,
    );
  }
  const isSecret = type === webhookSetup.policyType ? revealsCredentials : hasUserInfo;
  for (const one of urlsWithCredentials(data, path, isSecret)) report(one, CREDENTIALS_ERROR);
};

/** Reports each item that has the same key as an earlier item. */
const checkUnique = <Item>(
  report: Report,
  items: readonly Item[],
  list: string,
  field: keyof Item & string,
  key: (item: Item) => string,
): void => {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (seen.has(key(item)))
      report([list, index, field], `occurs twice: every item of ${list} must have its own ${field}`);
    seen.add(key(item));
  }
};

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);

/** Length of a contract's ABI in the stored form. */
const abiLength = (contract: unknown): number => {
  const { abi } = (contract ?? {}) as { readonly abi?: unknown };
  return typeof abi === 'string' ? abi.length : JSON.stringify(abi ?? '').length;
};

/** The counts for which a file would need room. The file may be invalid. */
const countsIn = (value: unknown): Partial<DappCounts> => {
  const { rules, contracts, webhooks } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const webhookRules = (Array.isArray(rules) ? rules : []).filter(
    (one) => (one as { type?: unknown } | null)?.type === 'WEBHOOK',
  );
  return {
    rules: lengthOf(rules),
    contracts: lengthOf(contracts),
    abiCharacters: (Array.isArray(contracts) ? contracts : []).reduce<number>((sum, one) => sum + abiLength(one), 0),
    webhooks: lengthOf(webhooks) + webhookRules.length,
  };
};

/**
 * Reads a policy file: YAML with an operator's settings for a DApp's policy, and tests of that policy.
 * @throws EngineError `TOO_MANY` if the file exceeds what a DApp may have, before reading its items
 * @throws EngineError `POLICY_FILE_INVALID`; `data.errors` lists up to 20 errors, each with its line and column and the
 * correct format
 */
export const parsePolicyFile = (text: string): PolicyFile => {
  const { value, refuse } = readYaml(text);
  requireRoom(countsIn(value));
  const read = readBy(fileSchema, value);
  if ('errors' in read) return refuse(read.errors);
  const errors: PlacedError[] = [];
  const report: Report = (path, message) => void errors.push({ path, message });
  const contracts = read.data.contracts.map((one, index) => readContract(report, ['contracts', index], one));
  checkUnique(report, contracts, 'contracts', 'name', ({ name }) => name);
  checkUnique(report, contracts, 'contracts', 'address', ({ address }) => addressKey(address));
  for (const [index, rule] of read.data.rules.entries()) checkRule(report, ['rules', index], rule);
  checkUnique(report, read.data.rules, 'rules', 'name', ({ name }) => name);
  const file: PolicyFile = { ...read.data, contracts };
  for (const [index, { operation }] of file.tests.entries()) {
    for (const [place, call] of operation.calls.entries()) {
      attempt(report, ['tests', index, 'operation', 'calls', place], () => encodeCall(call, contracts));
    }
  }
  checkUnique(report, file.tests, 'tests', 'name', ({ name }) => name);
  return errors.length > 0 ? refuse(errors) : file;
};
