import { biconomy110 } from './biconomy-1.1.0.ts';
import type { PaymasterLayout } from './layout.ts';
import { verifying06 } from './verifying-0.6.ts';

/** Every layout Gasdesk signs for. A new contract is a new file and a line here. */
export const layouts: readonly PaymasterLayout[] = [biconomy110, verifying06];

/** The layout of a paymaster `version` (SPEC 4); undefined if there is none. */
export const findLayout = (version: string): PaymasterLayout | undefined =>
  layouts.find((layout) => layout.version === version);
