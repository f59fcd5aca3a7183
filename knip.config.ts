import type { KnipConfig } from 'knip';

/** Nothing unused: no file, export or dependency without a reader. Tests are readers. */
export default {
  entry: [
    'src/{cli,main,preload}/index.ts',
    // Named by their pages.
    'src/playground/main.ts',
    'src/proof/main.ts',
    // Threads are started with them.
    'src/engine/{policy-trial/threshold-worker,policy-trial/trial-worker,review/review-worker,continuous-backup/copy-worker,signer/signing-worker}.ts',
    'scripts/*.ts',
    'test/bench/{index,console,floor-server,webhook-server}.ts',
    // Processes are started with them.
    'test/{support/flood-process,support/replace-policies,malformed/desk-process,continuous-backup/restore-seconds,registry/made-up-desk,simulation/planted}.ts',
    // Found by the types of the kinds.
    'src/core/rules/**/*.rows.ts',
    // Put into a copy of src.
    'test/registry/{sender-list,pm_echo,entry-point-9.9,verifying-9.9}.ts',
    // Run by `npm run release:fixture`.
    'test/upgrades/{make-fixture,vitest.config}.ts',
    // Built by test/support/bare-core.ts.
    'test/support/bare-core-entry.ts',
    // Built by test/console/ledger.test.ts.
    'test/console/ledger-page/main.ts',
  ],
  project: ['src/**/*.{ts,vue}', 'test/**/*.ts', 'scripts/**/*.ts'],
  // A type that an exported signature mentions may have a name outside its file.
  ignoreExportsUsedInFile: { interface: true, type: true },
  // Of util-linux; the test that needs it is skipped where it is not there.
  ignoreBinaries: ['prlimit'],
  ignoreDependencies: [
    // Not imported: scripts/build-contracts.ts reads their Solidity, artifacts and creation code, and loads the compiler.
    '@account-abstraction/contracts',
    '@biconomy-devx/account-contracts-v2',
    '@openzeppelin/contracts',
    '@pimlico/mock-paymaster',
    'account-abstraction-0.7',
    'account-abstraction-0.8',
    'account-abstraction-0.9',
    'openzeppelin-5',
    'solady',
    'solc',
    'solc-0.8.28',
    // Not imported: test/support/npm-accounts.ts reads their creation code.
    '@rhinestone/modulekit',
    '@safe-global/safe-4337',
    '@thirdweb-dev/contracts',
    // Their files are named in src/renderer/src/ui/fonts.css.
    '@fontsource-variable/inter',
    '@fontsource-variable/source-code-pro',
    // @biconomy/account needs it and does not say so.
    'tslib',
    // `gasdesk dev` finds it by name, in the project of its user, too.
    '@pimlico/alto',
    // It has no types, so test/support/object-store.ts loads it with `require`.
    '@20minutes/s3rver',
    // Its native binding is loaded by name, so that its slow JavaScript never is.
    'secp256k1',
  ],
} satisfies KnipConfig;
