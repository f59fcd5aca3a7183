import { EngineError } from '../../shared/errors.ts';
import { biconomy100 } from './biconomy-1.0.0.ts';
import { biconomy110 } from './biconomy-1.1.0.ts';
import { biconomy200 } from './biconomy-2.0.0.ts';
import { parallel09 } from './parallel-0.9.ts';
import type { AttachableLayout, PaymasterLayout } from './layout.ts';
import { singleton06 } from './singleton-0.6.ts';
import { singleton07 } from './singleton-0.7.ts';
import { singleton08, singleton08Eip7702 } from './singleton-0.8.ts';
import { singleton09 } from './singleton-0.9.ts';
import { verifying06 } from './verifying-0.6.ts';
import { verifying07, verifying08 } from './verifying-0.7.ts';

/** Every layout with which Gasdesk sponsors. To add a contract, write its file and add a line here. */
export const layouts: readonly PaymasterLayout[] = [
  biconomy100,
  biconomy110,
  biconomy200,
  verifying06,
  verifying07,
  verifying08,
  singleton06,
  singleton07,
  singleton08,
  singleton08Eip7702,
  singleton09,
  parallel09,
];

/**
 * The layout of a paymaster `version` that DApps may choose (behaviour 3.2); undefined if no layout has that version.
 */
export const findLayout = (version: string): PaymasterLayout | undefined =>
  layouts.find((layout) => layout.version === version);

/** Layouts of contracts by which users pay in tokens, some under a version of their own. */
const tokenLayouts: readonly AttachableLayout[] = layouts.flatMap(({ token }) => token ?? []);

const notSupported = (possible: readonly AttachableLayout[]): EngineError => {
  const supported = [...new Set(possible.map(({ version }) => version))];
  return new EngineError('VERSION_NOT_SUPPORTED', undefined, { supported });
};

/** The layout that a DApp has chosen. @throws EngineError `VERSION_NOT_SUPPORTED` */
export const requireLayout = (version: string): PaymasterLayout => {
  const layout = findLayout(version);
  if (layout === undefined) throw notSupported(layouts);
  return layout;
};

/** The layout of a contract that can be attached to a chain, whether it sponsors or only takes tokens. */
export const findAttachable = (version: string): AttachableLayout | undefined =>
  findLayout(version) ?? tokenLayouts.find((token) => token.version === version);

/** The same, for a version that the operator has entered. @throws EngineError `VERSION_NOT_SUPPORTED` */
export const requireAttachable = (version: string): AttachableLayout => {
  const layout = findAttachable(version);
  if (layout === undefined) throw notSupported([...layouts, ...tokenLayouts]);
  return layout;
};
