import { configDefaults, defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

/** `npm run test:clients`: the tests that install packages, which the other runs leave out. */
export default defineConfig({
  test: { ...base.test, include: ['test/clients/*.test.ts'], exclude: configDefaults.exclude },
});
