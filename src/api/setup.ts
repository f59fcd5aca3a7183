import { z } from 'zod';
import { address, hash, hex } from '../shared/schema/hex.ts';
import { hexQuantity, weiText } from '../shared/schema/quantity.ts';
import { id } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

const costs = z.strictObject({
  balanceWei: weiText.describe('What the wallet holds'),
  missing: z
    .array(z.enum(['entryPoint', 'accountFactory']))
    .describe('Canonical contracts of EntryPoint v0.6 that the chain lacks; empty for other EntryPoints'),
  maxFeeWei: z
    .strictObject({
      entryPoint: weiText,
      accountFactory: weiText,
      contract: weiText.describe('Deploys the paymaster contract'),
      deposit: weiText,
      operation: weiText.describe('Bundles one operation that creates its account; the EntryPoint pays it back'),
    })
    .describe('The most that each transaction costs at the prices of the moment and half as much again'),
  depositWei: weiText.describe('Covers the test operation, and some more like it'),
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
    summary: 'Show what deploying, filling and trying the gas tank of a DApp costs, and what the wallet holds',
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
      operation: operation.nullable().describe('As it was signed; null where it is not sponsored'),
      userOpHash: hash.nullable().describe('What the bundler answered; null where it was given to none'),
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
