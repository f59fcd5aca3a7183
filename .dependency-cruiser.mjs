/** The arrows of the architecture: which part may import which. Types count as imports. */

const tests = '[.]test[.]ts$';
const doors = '^src/engine/(management|rpc|console-http)/';
const service = '^src/engine/service/';
const workers = '^src/engine/(decision|ledger|webhooks|paymaster|signer|chain|token-mode|backup|keys|transactions)/';
const store = '^src/engine/(store|data-folder)/';
const pure = '^src/engine/(rules|calls|user-operation)/';

/** A part of the tree may import the listed places of src, and no others. */
const part = (name, reaches) => ({
  name: `${name}-reaches`,
  comment: `src/${name} may import ${reaches.join(', ') || 'nothing else'} of src.`,
  severity: 'error',
  from: { path: `^src/${name}/`, pathNot: tests },
  to: { path: '^src/', pathNot: [name, ...reaches].map((reach) => `^src/${reach}/`) },
});

/** Inside the engine the arrows point one way: doors, service, workers, store. */
const layer = (name, from, to, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from, pathNot: tests },
  to: { path: to },
});

export default {
  forbidden: [
    part('shared', []),
    part('engine', ['shared']),
    part('demo', ['engine', 'shared']),
    // `gasdesk demo` starts the demo world.
    part('cli', ['engine', 'shared', 'demo']),
    part('main', ['engine', 'shared']),
    part('preload', ['shared']),
    part('renderer', ['shared']),
    {
      name: 'shared-is-pure',
      comment: 'src/shared runs in the browser, in Node and in the sandbox: of the outside it knows zod only.',
      severity: 'error',
      from: { path: '^src/shared/', pathNot: tests },
      to: { pathNot: ['^src/', '(^|/)node_modules/zod/'] },
    },

    layer(
      'doors-call-the-service',
      doors,
      [workers, store, pure],
      'A door parses, calls one procedure of the service and renders the result.',
    ),
    {
      name: 'doors-are-apart',
      comment: 'What two doors share belongs to the service or to shared.',
      severity: 'error',
      from: { path: doors, pathNot: tests },
      to: { path: doors, pathNot: '^src/engine/$1/' },
    },
    layer('service-below-doors', service, [doors], 'The service does not know who asks.'),
    layer('workers-below-service', workers, [doors, service], 'Workers do one thing and do not know the service.'),
    layer('store-at-the-bottom', store, [doors, service, workers], 'The store keeps what it is given.'),
    layer(
      'pure-parts',
      pure,
      [doors, service, workers, store],
      'Rules, call decoding and user operation arithmetic are functions of their input.',
    ),
    {
      name: 'a-rule-is-one-file',
      comment: 'Facts in, verdict out: no clock, no database, no network. rule.ts, decoded calls and shared suffice.',
      severity: 'error',
      from: { path: '^src/engine/rules/', pathNot: [tests, '^src/engine/rules/registry[.]ts$'] },
      to: { pathNot: ['^src/engine/rules/rule[.]ts$', '^src/engine/calls/', '^src/shared/', '(^|/)node_modules/zod/'] },
    },
    {
      name: 'registry-lists-rules',
      comment: 'The registry knows every rule and nothing else.',
      severity: 'error',
      from: { path: '^src/engine/rules/registry[.]ts$' },
      to: { pathNot: ['^src/engine/(rules|calls)/', '^src/shared/', '(^|/)node_modules/zod/'] },
    },

    {
      name: 'no-test-code-in-the-product',
      comment: 'What ships does not import tests or their helpers.',
      severity: 'error',
      from: { path: '^(src|scripts)/', pathNot: tests },
      to: { path: ['^test/', tests] },
    },
    {
      name: 'no-dev-dependency-in-the-product',
      comment: 'What ships runs on dependencies. electron-builder brings electron; the page is one bundle.',
      severity: 'error',
      from: { path: '^src/', pathNot: [tests, '^src/renderer/'] },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['npm', 'npm-optional'],
        pathNot: '(^|/)node_modules/electron/',
      },
    },
    {
      name: 'no-cycle',
      comment: 'Two files that need each other are one file, or hide a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphan',
      comment: 'A file nobody imports and that imports nobody is left over.',
      severity: 'error',
      from: { orphan: true, pathNot: [tests, '[.]d[.]ts$'] },
      to: {},
    },
    {
      name: 'resolvable',
      comment: 'The import names nothing that exists, or a package that package.json does not list.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['unknown', 'undetermined', 'npm-no-pkg', 'npm-unknown'], pathNot: '^vitest' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.vue', '.mjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
};
