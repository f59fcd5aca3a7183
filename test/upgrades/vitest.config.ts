import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

const { projects: _, ...shared } = base.test ?? {};

/** `npm run release:fixture`: writes the fixture of this version, which the tests of all later versions open. */
export default defineConfig({ test: { ...shared, include: ['test/upgrades/make-fixture.ts'] } });
