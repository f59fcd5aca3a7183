import { describe, expect, test } from 'vitest';
import { EngineError } from '../../shared/errors.ts';
import { MAX_COUNTS } from '../policy/policy-bounds.ts';
import { ruleTypes } from '../decision/rule-words.ts';
import { parsePolicyFile } from './parse-file.ts';

const EMPTY = 'version: 1\ncontracts: []\nrules: []\nwebhooks: []\nallowedOrigins: ["*"]\n';

const errorsOf = (text: string): readonly string[] => {
  try {
    parsePolicyFile(text);
    return [];
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'POLICY_FILE_INVALID') throw error;
    const { errors } = error.data as { errors: string[] };
    expect(error.message).toBe(errors[0]);
    return errors;
  }
};
const withContract = (fields: string): string => EMPTY.replace('contracts: []', `contracts:\n  - ${fields}`);
const withRule = (fields: string): string => EMPTY.replace('rules: []', `rules:\n  - ${fields}`);
const withTest = (operation: string, expected = 'sponsored'): string =>
  `${EMPTY}tests:\n  - {name: t, operation: ${operation}, expect: ${expected}}\n`;
const LIMIT = '{type: PAYMASTER, thresholdType: COUNT, threshold: 5, cycleDuration: {value: 1, unit: day}}';
const ITEMS = 'name: Items, address: "0x1717171717171717171717171717171717171717"';

test('a file that says what an operator can say is read', () => {
  expect(errorsOf(EMPTY)).toEqual([]);
  expect(errorsOf(withContract(`{${ITEMS}, abi: [mint(uint256 id)], methods: [mint]}`))).toEqual([]);
  expect(errorsOf(withRule(`{name: L, type: PAYMASTER_SA_LIMIT, data: ${LIMIT}}`))).toEqual([]);
  expect(errorsOf(withTest('{calls: []}', '{denied: LIMIT_REACHED}'))).toEqual([]);
});

describe('what is wrong is said with its line, its column and what would be right', () => {
  test.each<[string, string, string[]]>([
    ['nothing', '', ['The file is empty. A policy file begins with "version: 1".']],
    ['a list', '- a', ['line 1, column 1: must be an object']],
    [
      'what is forgotten: it must not pass for what is not wanted',
      'version: 1\ncontracts: []',
      [
        'line 1, column 1: rules is required; use "rules: []" for none',
        'line 1, column 1: webhooks is required; use "webhooks: []" for none',
        'line 1, column 1: allowedOrigins is required; use "allowedOrigins: []" for none',
      ],
    ],
    ['a version of later', EMPTY.replace('1', '2'), ['line 1, column 1: version must be 1']],
    [
      'an unknown field',
      `${EMPTY}rulez: 1`,
      [
        'line 6, column 1: rulez is not a field here. The fields are: version, contracts, rules, webhooks, lowBalance, allowedOrigins, tokenMode, maxExpirySeconds, tests',
      ],
    ],
    [
      'an unknown field of a contract',
      withContract(`{${ITEMS}, abi: [], method: []}`),
      [
        'line 3, column 83: contracts[0].method is not a field here. The fields are: name, address, abi, methods, active',
      ],
    ],
    [
      'an unknown field of what a rule says',
      withRule('{name: W, type: WEBHOOK, data: {url: "https://h.example/", failopen: true}}'),
      ['line 4, column 64: rules[0].data.failopen is not a field here. The fields are: url, failOpen'],
    ],
    [
      'an unknown type of rule',
      withRule('{name: W, type: LIMIT}'),
      [`line 4, column 15: rules[0].type must be one of: ${ruleTypes.map(({ setup }) => setup.policyType).join(', ')}`],
    ],
    [
      'a limit of nothing',
      withRule(`{name: L, type: PAYMASTER_SA_LIMIT, data: ${LIMIT.replace('5', '0')}}`),
      ['line 4, column 87: rules[0].data.threshold must be a positive number'],
    ],
    [
      'a method that the ABI has not',
      withContract(`{${ITEMS}, abi: [mint(uint256 id)], methods: [burn]}`),
      [
        'line 3, column 99: contracts[0].methods names a method that is not in the ABI. Unknown method: burn. The methods are: mint',
      ],
    ],
    [
      'a method of an ABI that has none',
      withContract(`{${ITEMS}, abi: [], methods: [mint]}`),
      [
        'line 3, column 83: contracts[0].methods names a method that is not in the ABI. Unknown method: mint. The methods are: none',
      ],
    ],
    [
      'a line that is no method',
      withContract(`{${ITEMS}, abi: [mint(], methods: []}`),
      ['line 3, column 80: contracts[0].abi[0] must be a method such as "mint(uint256 amount)"'],
    ],
    [
      'an ABI that is none',
      withContract(`{${ITEMS}, abi: "{}"}`),
      ['line 3, column 74: contracts[0].abi must be a list of methods, or the JSON of an ABI as text'],
    ],
    [
      'a name twice',
      withRule('{name: D, type: WALLET_DEPLOYMENT}\n  - {name: D, type: WALLET_DEPLOYMENT}'),
      ['line 5, column 6: rules[1].name occurs twice: every item of rules must have its own name'],
    ],
    [
      'an address twice, in other letters',
      withContract(
        `{name: A, address: "0x${'ab'.repeat(20)}", abi: []}\n  - {name: B, address: "0x${'AB'.repeat(20)}", abi: []}`,
      ),
      ['line 4, column 15: contracts[1].address occurs twice: every item of contracts must have its own address'],
    ],
    [
      'an origin as no browser sends it',
      EMPTY.replace('"*"', 'https://App.example/'),
      [
        'line 5, column 18: allowedOrigins[0] must be as browsers send it: lower case, without "/" at the end and without the default port',
      ],
    ],
    [
      'a low balance of words',
      `${EMPTY}lowBalance: much`,
      ['line 6, column 1: lowBalance must be an amount of the coin, such as 0.5, or null'],
    ],
    [
      'a code that nothing denies with',
      withTest('{}', '{denied: LIMIT}'),
      [
        'line 7, column 39: tests[0].expect.denied must be "sponsored", or "denied:" with a denial code such as LIMIT_REACHED',
      ],
    ],
    [
      'a call of nobody',
      withTest('{calls: [{to: Shop}]}'),
      ['line 7, column 35: tests[0].operation.calls[0] "to" must be an address or the name of a contract in this file'],
    ],
    [
      'arguments that do not fit',
      withTest(`{calls: [{to: "0x${'17'.repeat(20)}", method: mint(uint256), args: [one]}]}`),
      ['line 7, column 35: tests[0].operation.calls[0] "args" must match the parameters of mint(uint256)'],
    ],
    [
      'a method of no contract',
      withTest(`{calls: [{to: "0x${'17'.repeat(20)}", method: mint}]}`),
      [
        'line 7, column 35: tests[0].operation.calls[0] "method" must be a signature such as "mint(uint256)", or the name of one method of the contract',
      ],
    ],
  ])('%s', (_, text, errors) => {
    expect(errorsOf(text)).toEqual(errors);
  });
});

const LAUGHS = Array.from({ length: 9 }, (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level}, `.repeat(9)}]`);

describe('YAML that means harm is refused, and names what to write instead', () => {
  test.each<[string, string, string]>([
    [
      'a billion laughs',
      ['l0: &l0 [lol]', ...LAUGHS].join('\n'),
      'line 1, column 1: Write the value out where it is used: a policy file has no anchor (&l0).',
    ],
    ['an alias of nothing', 'version: *v', 'line 1, column 1: Write the value out: a policy file has no alias (*v).'],
    ['a field twice', `${EMPTY}rules: []`, 'line 6, column 1: The field "rules" is there twice. Keep one of them.'],
    [
      'a field twice, deep inside',
      `${EMPTY}x: {a: 1, "a": 2}`,
      'line 6, column 11: The field "a" is there twice. Keep one of them.',
    ],
    [
      'code',
      'version: !!js/function "function () {}"',
      'line 1, column 1: Leave out the tag tag:yaml.org,2002:js/function: a policy file has none.',
    ],
    [
      'bytes',
      'version: !!binary AAAA',
      'line 1, column 1: Leave out the tag tag:yaml.org,2002:binary: a policy file has none.',
    ],
    [
      'a merge',
      `${EMPTY}<<: {rules: []}`,
      'line 6, column 1: << is not a field here. The fields are: version, contracts, rules, webhooks, lowBalance, allowedOrigins, tokenMode, maxExpirySeconds, tests',
    ],
    [
      'a prototype',
      `${EMPTY}__proto__: {rules: []}`,
      'line 6, column 1: __proto__ is not a field here. The fields are: version, contracts, rules, webhooks, lowBalance, allowedOrigins, tokenMode, maxExpirySeconds, tests',
    ],
    ['tabs', 'rules:\n\t- name: a', 'line 2, column 1: Tabs are not allowed as indentation'],
    ['two documents', `${EMPTY}---\n${EMPTY}`, 'line 6, column 1: A policy file is one document.'],
    [
      'a field without a name',
      '? [a]\n: 1',
      'line 1, column 3: A field has a name, and no list or other fields in its place.',
    ],
    ['1 MiB', `# ${'x'.repeat(1024 * 1024)}\n${EMPTY}`, 'A policy file has at most 524,288 characters.'],
    ['a text that is no YAML', 'a: "b', 'line 1, column 6: Missing closing "quote'],
  ])('%s', (_, text, error) => {
    expect(errorsOf(text)[0]).toBe(error);
  });

  test.each<[string, string]>([
    ['lists', '['.repeat(3000)],
    ['fields', '{a: '.repeat(3000)],
    ['lines', Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
    ['lists in closed lists', `${'['.repeat(42)}${']'.repeat(42)}`],
  ])('%s in each other, more than any stack holds', (_, text) => {
    expect(errorsOf(text)[0]).toMatch(/A policy file is at most 40 levels deep\.$/);
  });
});

test('says at most 20 errors', () => {
  expect(errorsOf(`${EMPTY}${Array.from({ length: 100 }, (_, index) => `x${index}: 1\n`).join('')}`)).toHaveLength(20);
});

test('a number keeps its digits, and what older YAML took for something else is text', () => {
  const { lowBalance } = parsePolicyFile(`${EMPTY}lowBalance: 1234567.000000000000000001`);
  expect(lowBalance).toBe('1234567.000000000000000001');
  expect(errorsOf(withRule('{name: no, type: WALLET_DEPLOYMENT, active: no}'))).toEqual([
    'line 4, column 41: rules[0].active must be a boolean value',
  ]);
});

test('a file with more than a DApp may have is refused before anything of it is read', () => {
  const rules = (count: number): string => `rules:\n${'  - {}\n'.repeat(count)}`;
  const refused = (text: string): unknown => {
    try {
      return parsePolicyFile(text);
    } catch (error) {
      return error;
    }
  };
  const file = (count: number): string => EMPTY.replace('rules: []\n', rules(count));
  expect(refused(file(MAX_COUNTS.rules + 1))).toMatchObject({
    code: 'TOO_MANY',
    message: expect.stringContaining('at most 1,000 rules'),
  });
  expect(refused(file(2))).toMatchObject({ code: 'POLICY_FILE_INVALID' });
  const asking = EMPTY.replace('rules: []\n', `rules:\n${'  - {type: WEBHOOK}\n'.repeat(MAX_COUNTS.webhooks + 1)}`);
  expect(refused(asking)).toMatchObject({ code: 'TOO_MANY', data: { bound: 'webhooks', most: MAX_COUNTS.webhooks } });
});
