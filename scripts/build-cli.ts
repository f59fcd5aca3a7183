import { join } from 'node:path';
import { build } from 'vite';

/** Bundles the command line into `out/cli` for the npm package: Node.js strips no types in packages. */

const root = join(import.meta.dirname, '..');

await build({
  root,
  configFile: false,
  logLevel: 'error',
  ssr: { noExternal: true, external: ['better-sqlite3', 'secp256k1'] },
  build: {
    ssr: true,
    outDir: 'out/cli',
    target: 'node22',
    // depd, which koa depends on, evaluates a constant of its own.
    rolldownOptions: {
      input: { index: 'src/cli/index.ts', 'trial-worker': 'src/engine/policy-trial/trial-worker.ts' },
      output: { chunkFileNames: '[name]-[hash].js' },
      checks: { eval: false },
    },
  },
});
