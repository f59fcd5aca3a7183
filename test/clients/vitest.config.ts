import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

const { projects: _, ...shared } = base.test ?? {};

/** `npm run test:clients`: the tests that install packages, which the other runs leave out. */
export default defineConfig({
  test: { ...shared, include: ['test/clients/*.test.ts'], globalSetup: ['test/support/global-setup.ts'] },
});
