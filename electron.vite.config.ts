import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'electron-vite';
import { recordPackages } from './scripts/bundled-packages.ts';

/** Three bundles side by side in out/: main for Node, preload for the sandbox, renderer for the page. */
export default defineConfig({
  main: {
    plugins: [recordPackages('main')],
    build: {
      chunkSizeWarningLimit: 10_000,
      // koa's dependency depd evaluates a constant of its own.
      rolldownOptions: {
        input: {
          index: 'src/main/index.ts',
          'review-worker': 'src/engine/review/review-worker.ts',
          'threshold-worker': 'src/engine/policy-trial/threshold-worker.ts',
          'trial-worker': 'src/engine/policy-trial/trial-worker.ts',
          'copy-worker': 'src/engine/continuous-backup/copy-worker.ts',
          'signing-worker': 'src/engine/signer/signing-worker.ts',
        },
        output: { chunkFileNames: '[name]-[hash].js' },
        checks: { eval: false, bundlerTimings: false },
      },
    },
  },
  preload: {
    build: {
      // A sandboxed preload script can require electron and nothing else, and only as CommonJS.
      externalizeDeps: false,
      rolldownOptions: { input: 'src/preload/index.ts', output: { format: 'cjs', entryFileNames: '[name].cjs' } },
    },
  },
  renderer: {
    root: 'src/renderer',
    plugins: [vue(), recordPackages('renderer')],
    // Its threads load the core, which waits for its WebAssembly.
    worker: { format: 'es', plugins: () => [recordPackages('renderer-threads')] },
    build: {
      // Its polyfill would fetch, which the content security policy forbids and Chromium does not need.
      modulePreload: false,
      // It is also sent over a network, to browsers. `test/console/weight.test.ts` says how much of it.
      minify: true,
      chunkSizeWarningLimit: 10_000,
      rolldownOptions: {
        input: 'src/renderer/index.html',
        // What every page needs is one file: some sixty small ones take a browser longer than their contents.
        output: { codeSplitting: { groups: [{ name: 'console', tags: ['$initial'] }] } },
      },
    },
  },
});
