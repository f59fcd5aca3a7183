import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

const { projects: _, ...shared } = base.test ?? {};

const project = (mode: string, name: string, files: string, turn: number, maxWorkers: number) => ({
  mode,
  test: {
    ...shared,
    name,
    include: [`test/clients/${files}.test.ts`],
    globalSetup: ['test/support/global-setup.ts'],
    sequence: { ...shared.sequence, groupOrder: turn },
    maxWorkers,
  },
});

/**
 * The tests that install packages, which the other runs leave out: `npm run test:clients`, and `npm run test:program`,
 * whose files run the whole program, one by one, because it builds and takes ports of its own.
 */
export default defineConfig(({ mode }) => ({
  test: {
    projects: [project(mode, 'sdks', '{clients,pages}', 0, 2), project(mode, 'program', '{five-minutes,npx}', 1, 1)],
  },
}));
