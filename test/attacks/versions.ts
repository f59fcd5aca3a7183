import type { PaymasterLayout } from '../../src/core/paymaster-layouts/layout.ts';
import { findLayout } from '../../src/core/paymaster-layouts/registry.ts';

/** The paymaster versions that are attacked. */
export const VERSIONS = [
  '1.1.0',
  '1.0.0',
  'verifying-0.6',
  'verifying-0.7',
  'singleton-0.6',
  'singleton-0.7',
  'singleton-0.8',
  'singleton-0.9',
] as const;
/** A paymaster version that is attacked. */
export type Version = (typeof VERSIONS)[number];

/** The layout of a version that is attacked. */
export const layoutOf = (version: Version): PaymasterLayout => {
  const layout = findLayout(version);
  if (layout === undefined) throw new Error(`There is no layout ${version}`);
  return layout;
};
