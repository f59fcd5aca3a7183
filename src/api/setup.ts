import { z } from 'zod';
import { address, hash, hex } from '../shared/schema/hex.ts';
import { hexQuantity, weiText } from '../shared/schema/quantity.ts';
import { id } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

const costs = z.strictObject({
  balanceWei: weiText.describe('Balance of the wallet'),
  missing: z
    .array(z.enum(['entryPoint', 'accountFactory']))
    .describe('Canonical contracts of EntryPoint v0.6 that the chain lacks; empty for other EntryPoints'),
  maxFeeWei: z
    .strictObject({
      entryPoint: weiText,
      accountFactory: weiText,
      contract: weiText.describe('Deploys the paymaster contract'),
      deposit: weiText,
      operation: weiText.describe('Bundles one operation that creates its account. The EntryPoint refunds the cost'),
    })
    .describe('Maximum cost of each transaction at 1.5 times the current prices'),
  depositWei: weiText.describe('Covers the test operation and a few more operations like it'),
});

/** A complete, signed operation for EntryPoint v0.6, in JSON-RPC format. */
const operation = z.strictObject({
  sender: address,
  nonce: hexQuantity,
  initCode: hex,
  callData: hex,
  callGasLimit: hexQuantity,
  verificationGasLimit: hexQuantity,
  preVerificationGas: hexQuantity,
  maxFeePerGas: hexQuantity,
  maxPriorityFeePerGas: hexQuantity,
  paymasterAndData: hex,
  signature: hex,
});

/** Procedures for the setup, from the first contract to the first sponsored operation. */
export const setupProcedures = {
  'setup.costs': procedure({
    summary:
      'Show the cost of deploying the contract, filling the gas tank and sending a test operation, and the balance of the wallet',
    input: z.strictObject({ paymasterId: id, from: address }),
    output: costs,
    errors: ['PAYMASTER_NOT_FOUND', 'RPC_MISSING', 'SIGNER_MISSING', 'CHAIN_UNREACHABLE', 'VAULT_LOCKED'],
  }),
  'setup.testOperation': procedure({
    summary:
      'Send a test operation that only creates its account: request its sponsorship over HTTP with the API key, sign it with a new owner, and give it to the bundler of the chain, if set',
    input: z.strictObject({ paymasterId: id }),
    output: z.strictObject({
      decisionId: z.string(),
      operation: operation.nullable().describe('The signed operation; null if it is not sponsored'),
      userOpHash: hash.nullable().describe('Answer of the bundler; null if it was not sent to a bundler'),
    }),
    errors: [
      'PAYMASTER_NOT_FOUND',
      'PAYMASTER_NOT_READY',
      'VERSION_NOT_SUPPORTED',
      'RPC_MISSING',
      'CHAIN_UNREACHABLE',
      'GAS_ESTIMATION_FAILED',
      'NOT_SPONSORED',
      'TRANSACTION_WOULD_FAIL',
      'VAULT_LOCKED',
    ],
  }),
};
