import { join } from 'node:path';
import vue from '@vitejs/plugin-vue';
import { build } from 'vite';
import { recordPackages } from './bundled-packages.ts';

/** Bundles the page of `gasdesk demo` into `out/playground`. */

await build({
  root: join(import.meta.dirname, '..', 'src', 'playground'),
  configFile: false,
  logLevel: 'error',
  base: './',
  publicDir: false,
  plugins: [vue(), recordPackages('playground')],
  build: {
    outDir: '../../out/playground',
    emptyOutDir: true,
    // The polyfill would send requests, and Chromium does not need it.
    modulePreload: false,
  },
});
