/** The arrows of the architecture: which part may import which. Types count as imports. */

const tests = '[.](test|rows)[.]ts$';

/** The folders of src/engine by layer, from the top: each may import the layers below its own. */
const layers = {
  review: ['review'],
  servers: ['server'],
  descriptions: ['description'],
  doors: ['management', 'rpc', 'console-http', 'control', 'monitoring'],
  http: ['http', 'rate-limit'],
  service: ['service'],
  workers: [
    'sponsorship',
    'transactions',
    'token-mode',
    'paymaster',
    'keys',
    'backup',
    'continuous-backup',
    'identity',
    'webhooks',
    'event-webhooks',
    'events',
    'notifications',
    'alerts',
    'metrics',
    'log',
    'policy-trial',
    'requests',
    'chain',
  ],
  keepers: ['signer'],
  network: ['network'],
  store: ['store'],
  base: ['config', 'data-folder', 'base'],
};
const inEngine = (folders) => `^src/engine/(${folders.join('|')})/`;
const doors = inEngine(layers.doors);

/** A part of the tree may import the listed places of src, and no others. */
const part = (name, reaches) => ({
  name: `${name}-reaches`,
  comment: `src/${name} may import ${reaches.join(', ') || 'nothing else'} of src.`,
  severity: 'error',
  from: { path: `^src/${name}/`, pathNot: tests },
  to: { path: '^src/', pathNot: [name, ...reaches].map((reach) => `^src/${reach}/`) },
});

/** Inside the engine the arrows point one way: down. */
const downwards = Object.entries(layers).map(([name, folders], index, all) => ({
  name: `${name}-downwards`,
  comment: `${folders.join(', ')}: may import ${all
    .slice(index)
    .map(([below]) => below)
    .join(', ')}.`,
  severity: 'error',
  from: { path: inEngine(folders), pathNot: tests },
  to: { path: '^src/engine/', pathNot: all.slice(index).map(([, below]) => inEngine(below)) },
}));

/** What a DApp and its users do, in the demo's story and in its page. */
const clientSide = '^src/demo/(sponsor-rpc|fee-token|game-items|playground-scene|simple-account)[.]ts$';

/** The kinds of rules: a file of src/core/rules or a folder there, but for what they are made of and what reads them all. */
const kinds = '^src/core/rules/(?!(?:rule|registry|binding|field|needs-price)[.])';

/** What is made for one EntryPoint, and so names it: the others make no difference to it. */
const usersOfOneEntryPoint = [
  '^src/core/paymaster-layouts/',
  '^src/engine/chain/(canonical-contracts|sponsored-hashes)[.]ts$',
  '^src/engine/service/test-operation[.]ts$',
  '^src/engine/transactions/(action-call|setup-costs)[.]ts$',
  '^src/demo/(bundler|simple-account|world-contracts)[.]ts$',
  '^src/renderer/src/modules/dapps/snippets[.]ts$',
  '^src/renderer/src/modules/setup/(SetupDapp[.]vue|use-setup[.]ts)$',
];

export default {
  forbidden: [
    part('shared', []),
    part('core', ['shared']),
    part('api', ['core', 'shared']),
    part('engine', ['api', 'core', 'shared']),
    part('demo', ['engine', 'api', 'core', 'shared']),
    // `gasdesk demo` starts the demo world.
    part('cli', ['engine', 'api', 'core', 'shared', 'demo']),
    part('main', ['engine', 'api', 'core', 'shared']),
    part('preload', ['shared']),
    part('renderer', ['api', 'core', 'shared']),
    part('proof', ['api', 'core', 'shared']),
    {
      name: 'playground-reaches',
      comment: "The demo's page is a client of the desk: of src it has what clients do, and the console's look.",
      severity: 'error',
      from: { path: '^src/playground/', pathNot: tests },
      to: {
        path: '^src/',
        pathNot: [
          '^src/(playground|core|shared)/',
          clientSide,
          '^src/renderer/src/ui/(tokens|fonts)[.]css$',
          '^src/renderer/src/pipeline/',
        ],
      },
    },
    {
      name: 'clients-run-in-the-page',
      comment: 'What the playground has of src/demo runs in Node and in a browser.',
      severity: 'error',
      from: { path: clientSide },
      to: { pathNot: [clientSide, '^src/(core|shared)/', '(^|/)node_modules/ethers/'] },
    },
    {
      name: 'shared-is-pure',
      comment: 'src/shared runs in the browser, in Node and in the sandbox: of the outside it knows zod only.',
      severity: 'error',
      from: { path: '^src/shared/', pathNot: tests },
      to: { pathNot: ['^src/', '(^|/)node_modules/zod/'] },
    },

    {
      name: 'api-is-pure',
      comment: 'src/api describes; as src/shared, it runs everywhere. Its export is written as CSV by papaparse.',
      severity: 'error',
      from: { path: '^src/api/', pathNot: tests },
      to: { pathNot: ['^src/', '(^|/)node_modules/(zod|papaparse)/'] },
    },
    {
      name: 'core-is-pure',
      comment:
        'src/core decides, in Node and in a browser: no input or output, no clock, no entropy, no database, no page.',
      severity: 'error',
      from: { path: '^src/core/', pathNot: tests },
      to: {
        pathNot: [
          '^src/',
          '(^|/)node_modules/(zod|ethers|canonicalize|hash-wasm|@noble/(ciphers|curves)|yaml|@marcbachmann/cel-js)/',
        ],
      },
    },
    {
      name: 'a-kind-knows-no-other',
      comment: 'A kind of rule knows rule.ts and its own folder: nothing of the other kinds, nor of who asks it.',
      severity: 'error',
      from: { path: `${kinds}([^/.]+)`, pathNot: tests },
      to: {
        path: [kinds, '^src/core/rules/(registry|needs-price)[.]ts$', '^src/core/(decision|replay|trial)/'],
        pathNot: '^src/core/rules/$1/',
      },
    },
    {
      name: 'a-kind-has-one-face',
      comment: 'A kind is one file, or a folder of which everybody else imports index.ts.',
      severity: 'error',
      from: { pathNot: ['^src/core/rules/[^/]+/', tests] },
      to: { path: '^src/core/rules/[^/]+/(?!index[.]ts$)' },
    },
    {
      name: 'entry-points-come-from-the-registry',
      comment: 'Only what is made for one EntryPoint imports its file. Everything else asks the registry.',
      severity: 'error',
      from: { path: '^src/', pathNot: [tests, '^src/core/entry-points/', ...usersOfOneEntryPoint] },
      to: { path: '^src/core/entry-points/', pathNot: '/(entry-point|registry)[.]ts$' },
    },

    {
      name: 'core-has-no-loose-files',
      comment: 'Each file of src/core belongs to a subject, and so stands in its folder.',
      severity: 'error',
      from: { path: '^src/core/[^/]+[.]ts$' },
      to: {},
    },

    ...downwards,
    {
      name: 'every-folder-has-a-layer',
      comment: 'A folder of the engine is in one of the layers above; beside them is index.ts alone.',
      severity: 'error',
      from: {},
      to: { path: '^src/engine/', pathNot: [...Object.values(layers).map(inEngine), '^src/engine/index[.]ts$'] },
    },
    {
      name: 'doors-call-the-service',
      comment: 'A door parses, calls one procedure of the service and renders the result.',
      severity: 'error',
      from: { path: doors, pathNot: tests },
      to: { path: [inEngine([...layers.workers, ...layers.keepers, ...layers.store]), '^src/core/'] },
    },
    {
      name: 'doors-are-apart',
      comment: 'What two doors share belongs to the service or to shared.',
      severity: 'error',
      from: { path: doors, pathNot: tests },
      to: { path: doors, pathNot: '^src/engine/$1/' },
    },

    {
      name: 'no-test-code-in-the-product',
      comment: 'What ships does not import tests or their helpers.',
      severity: 'error',
      from: { path: '^(src|scripts)/', pathNot: tests },
      to: { path: ['^test/', tests] },
    },
    {
      name: 'no-test-library-in-the-product',
      comment: 'What ships is bundled: a library for tests would be in it.',
      severity: 'error',
      from: { path: '^src/', pathNot: tests },
      to: { path: '(^|/)node_modules/(ajv|fast-check|ox|permissionless|playwright-core|viem|vitest)/' },
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
    // These run where their packages are installed, and not here.
    exclude: { path: '^test/clients/.*[.]mjs$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.vue', '.mjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
};
