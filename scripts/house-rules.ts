import type { Linter, Rule } from 'eslint';
import { oddWords } from './plain-words.ts';

interface Ban {
  readonly selector: string;
  readonly message: string;
}

const forbid = (...bans: readonly Ban[]): Rule.RuleModule => ({
  create: (context) =>
    Object.fromEntries(
      bans.map(({ selector, message }) => [selector, (node: Rule.Node) => context.report({ node, message })]),
    ),
});

/** Names of variables that contain wei or gas. `weight` and `GASDESK_PORT` are not money. */
const MONEY = '/wei(?!gh)|cost|balance|amount|threshold|fee|gas(?!desk)|nonce/i';
const exactMoneyMessage = 'Money is bigint: a Number loses wei above 2^53. Read it with a codec of src/shared/schema.';

/** An amount of money is never converted to a Number, not even inside a parser. */
const exactMoney = forbid(
  ...[
    'CallExpression[callee.name=/^(Number|parseInt|parseFloat)$/]',
    "CallExpression[callee.object.name='Number'][callee.property.name=/^parse(Int|Float)$/]",
    "UnaryExpression[operator='+']",
  ].map((conversion) => ({ selector: `${conversion}:has(Identifier[name=${MONEY}])`, message: exactMoneyMessage })),
);

const timeMessage = 'Time is injected: take it from the Clock, so that no test waits for the real one.';
const randomMessage = 'Randomness is injected: take it from Entropy, so that a test can repeat what happened.';

/** Only clock.ts uses the real clock and real randomness. */
const injectedTimeAndRandomness = forbid(
  { selector: "MemberExpression[object.name='Date'][property.name='now']", message: timeMessage },
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: timeMessage },
  { selector: "CallExpression[callee.name='Date']", message: timeMessage },
  { selector: "MemberExpression[object.name='performance'][property.name='now']", message: timeMessage },
  { selector: "MemberExpression[object.name='process'][property.name='hrtime']", message: timeMessage },
  { selector: 'CallExpression[callee.name=/^set(Timeout|Interval)$/]', message: timeMessage },
  {
    selector: "MemberExpression[object.name='globalThis'][property.name=/^set(Timeout|Interval)$/]",
    message: timeMessage,
  },
  { selector: 'ImportDeclaration[source.value=/^(node:)?timers/]', message: timeMessage },
  { selector: "MemberExpression[object.name='Math'][property.name='random']", message: randomMessage },
  { selector: 'MemberExpression[property.name=/^(random(UUID|Bytes|Int)|getRandomValues)$/]', message: randomMessage },
  { selector: 'ImportSpecifier[imported.name=/^random(UUID|Bytes|Int)$/]', message: randomMessage },
);

const environmentMessage =
  'Only cli, main and demo read the environment; the engine is given its settings, checked by config.ts.';

/** Every setting is declared in one place, so that operators can find it. */
const declaredSettings = forbid(
  { selector: "MemberExpression[object.name='process'][property.name='env']", message: environmentMessage },
  { selector: "MemberExpression[object.name='process'][property.value='env']", message: environmentMessage },
  { selector: "MemberExpression[object.property.name='process'][property.name='env']", message: environmentMessage },
  { selector: "VariableDeclarator[init.name='process'] Property[key.name='env']", message: environmentMessage },
  {
    selector: "ImportDeclaration[source.value=/^(node:)?process$/] ImportSpecifier[imported.name='env']",
    message: environmentMessage,
  },
);

const TEST_FUNCTION = '/^(it|test|describe|suite)$/';
const wholeSuiteMessage =
  'Every test runs: fix it or remove it. What depends on the machine uses skipIf with its reason.';

/** A test suite must not pass if it skips tests. */
const wholeSuite = forbid(
  {
    selector: `MemberExpression[object.name=${TEST_FUNCTION}][property.name=/^(only|skip|todo|fails)$/]`,
    message: wholeSuiteMessage,
  },
  {
    selector: `MemberExpression[object.object.name=${TEST_FUNCTION}][property.name=/^(only|skip|todo|fails)$/]`,
    message: wholeSuiteMessage,
  },
  { selector: 'CallExpression[callee.name=/^(fit|fdescribe|xit|xtest|xdescribe)$/]', message: wholeSuiteMessage },
);

/** Packages that only some files may import. */
const packageHomes = [
  {
    packages: /^(better-sqlite3|node:sqlite)$/,
    // The lock of the data folder is a SQLite lock, tests inspect databases from outside, and the copy uses both kinds
    // of databases.
    homes: [
      'src/engine/store/sqlite/',
      'src/engine/data-folder/',
      'test/',
      'src/engine/store/postgres/copy.ts',
      'src/engine/store/postgres/copied-rows.ts',
    ],
    message: 'SQL stays in src/engine/store: ask the Store, so that another database can stand behind it.',
  },
  {
    packages: /^pg$/,
    homes: ['src/engine/store/postgres/', 'test/'],
    message: 'SQL stays in src/engine/store: ask the Store, so that another database can stand behind it.',
  },
  {
    packages: /^electron(\/|$)/,
    homes: ['src/main/', 'src/preload/', 'test/'],
    message: 'electron stays in src/main and src/preload: everything else must also run headless.',
  },
  {
    packages: /^(vue|vue-router|pinia|naive-ui)(\/|$)/,
    homes: ['src/renderer/', 'src/playground/', 'test/'],
    message: 'vue stays in src/renderer and src/playground: the engine knows no screen.',
  },
];

/** Uses forward slashes on every system. */
const projectPath = (context: Rule.RuleContext): string =>
  context.filename.slice(context.cwd.length + 1).replaceAll('\\', '/');

const packageHome: Rule.RuleModule = {
  create: (context) => {
    const file = projectPath(context);
    const check = (node: Rule.Node): void => {
      const source = 'source' in node ? node.source : node.type === 'CallExpression' ? node.arguments[0] : undefined;
      if (source?.type !== 'Literal') return;
      const away = packageHomes.find(
        ({ packages, homes }) => packages.test(String(source.value)) && !homes.some((home) => file.startsWith(home)),
      );
      if (away) context.report({ node, message: away.message });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      "CallExpression[callee.name='require']": check,
    };
  },
};

/** A disabled rule must have a reason: `eslint-disable-next-line rule -- reason`. */
const reasonedDisable: Rule.RuleModule = {
  create: (context) => ({
    Program: () => {
      for (const comment of context.sourceCode.getAllComments()) {
        if (!/^\s*eslint-disable/.test(comment.value) || / -- \S/.test(comment.value) || !comment.loc) continue;
        context.report({ loc: comment.loc, message: 'Say why the rule is off: `eslint-disable… rule -- reason`.' });
      }
    },
  }),
};

/** `test('…')`, `describe('…')`, and `test.each(…)('…')`: their first argument is a title. */
const TITLED = ['[callee.name=/^(test|it|describe)$/]', '[callee.callee.object.name=/^(test|it|describe)$/]'];

/** Comments and titles of tests must be in plain words. */
const plainWords: Rule.RuleModule = {
  create: (context) => ({
    Program: () => {
      for (const { value, loc } of context.sourceCode.getAllComments()) {
        if (!loc) continue;
        for (const message of oddWords(value)) context.report({ loc, message });
      }
    },
    [TITLED.map((call) => `CallExpression${call} > Literal:first-child`).join()]: (node: Rule.Node) => {
      for (const message of oddWords(context.sourceCode.getText(node))) context.report({ node, message });
    },
  }),
};

const house = {
  rules: {
    'exact-money': exactMoney,
    'injected-time-and-randomness': injectedTimeAndRandomness,
    'declared-settings': declaredSettings,
    'whole-suite': wholeSuite,
    'package-home': packageHome,
    'reasoned-disable': reasonedDisable,
    'plain-words': plainWords,
  },
};

/** Globals that are not part of the language. Code that runs on every platform must not use them. */
const BEYOND_ES = [
  'Buffer',
  'process',
  'performance',
  'fetch',
  'crypto',
  'setTimeout',
  'setImmediate',
  'window',
  'document',
];

/** ESLint's flat configuration: which house rules apply to which files. Needs no type information. */
export const houseConfig: Linter.Config[] = [
  {
    plugins: { house },
    rules: {
      'house/package-home': 'error',
      'house/plain-words': 'error',
      'house/reasoned-disable': 'error',
      'house/whole-suite': 'error',
      // Unfinished work belongs in an issue, not in a comment.
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'] }],
    },
  },
  { files: ['src/engine/**', 'src/core/**', 'src/shared/**'], rules: { 'house/exact-money': 'error' } },
  {
    files: ['src/core/**', 'src/shared/**'],
    ignores: ['**/*.test.ts'],
    // The types of some packages declare the globals of Node and of browsers, so the compiler would accept them.
    rules: { 'no-restricted-globals': ['error', ...BEYOND_ES] },
  },
  {
    files: ['src/engine/**', 'src/core/**'],
    // clock.ts wraps the real clock and randomness, and its test compares it with them.
    ignores: ['src/engine/base/clock.ts', 'src/engine/base/clock.test.ts'],
    rules: { 'house/injected-time-and-randomness': 'error' },
  },
  {
    files: ['src/**'],
    ignores: ['src/engine/config/config.ts', 'src/cli/**', 'src/demo/**', 'src/main/**'],
    rules: { 'house/declared-settings': 'error' },
  },
  {
    files: ['src/**'],
    // The engine logs through log.ts, which keeps secrets out of the log. Commands print for people.
    ignores: ['src/cli/**', 'src/demo/**', '**/*.test.ts'],
    rules: { 'no-console': 'error' },
  },
];
