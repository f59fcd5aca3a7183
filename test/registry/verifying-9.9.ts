import { verifying08 } from '../../src/core/paymaster-layouts/verifying-0.7.ts';
import type { PaymasterLayout } from '../../src/core/paymaster-layouts/layout.ts';
import type { EntryPointVersion } from '../../src/shared/schema/user-operation.ts';

/** A paymaster contract for an EntryPoint that the product does not have. */
export const verifying99: PaymasterLayout = {
  ...verifying08,
  version: 'verifying-9.9',
  title: 'VerifyingPaymaster 9.9',
  entryPointVersion: String('9.9') as EntryPointVersion,
};
