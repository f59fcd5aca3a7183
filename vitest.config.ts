import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    allowOnly: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    sequence: { shuffle: true },
  },
});
