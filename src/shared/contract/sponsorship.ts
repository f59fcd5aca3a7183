import { z } from 'zod';
import { feeQuote } from '../schema/fee-token.ts';
import {
  feeQuoteOptions,
  partialUserOperationV06,
  sponsorshipOptions,
  stubUserOperationV06,
} from '../schema/sponsorship.ts';
import { chainId } from '../schema/text.ts';
import { procedure } from './procedure.ts';

/** Names the DApp that asks. */
const caller = z.strictObject({ chainId, apiKey: z.string() });

const request = caller.extend({
  method: z.string(),
  userOperation: partialUserOperationV06,
  options: sponsorshipOptions,
  received: z.unknown().describe('The request as it came in, for the trace'),
});

const reason = z.strictObject({
  code: z.string(),
  rule: z.string(),
  message: z.string(),
  hint: z.string(),
});

/** Gas limits and amounts are decimal strings: clients may send limits beyond what JSON numbers hold. */
const integer = z.string();

/** Deciding and signing, and what a DApp may know before it asks. */
export const sponsorshipProcedures = {
  'sponsorship.dapp': procedure({
    summary: 'Tell whom an API key names, and on which EntryPoint its operations are sponsored',
    input: caller,
    output: z.strictObject({
      name: z.string(),
      version: z.string(),
      entryPoint: z.string(),
      entryPointVersion: z.enum(['0.6', '0.7', '0.8']),
    }),
    errors: ['UNKNOWN_API_KEY', 'VERSION_NOT_SUPPORTED'],
  }),
  'sponsorship.sponsor': procedure({
    summary: 'Decide whether to sponsor a user operation, sign it if so, and store the decision before answering',
    input: request,
    output: z.strictObject({
      decisionId: z.string(),
      sponsored: z.boolean(),
      paymasterAndData: z.string(),
      callGasLimit: integer,
      verificationGasLimit: integer,
      preVerificationGas: integer,
      reason: reason.optional(),
    }),
    errors: [
      'UNKNOWN_API_KEY',
      'PAYMASTER_NOT_READY',
      'CHAIN_UNREACHABLE',
      'GAS_ESTIMATION_FAILED',
      'FEE_TOKEN_REQUIRED',
      'TOKEN_NOT_SUPPORTED',
    ],
  }),
  'sponsorship.stub': procedure({
    summary:
      'Give paymaster data to estimate gas with, or the reason why the operation would be denied. Reserves nothing',
    input: request.extend({ userOperation: stubUserOperationV06 }),
    output: z.strictObject({ paymasterAndData: z.string(), reason: reason.optional() }),
    errors: [
      'UNKNOWN_API_KEY',
      'PAYMASTER_NOT_READY',
      'CHAIN_UNREACHABLE',
      'FEE_TOKEN_REQUIRED',
      'TOKEN_NOT_SUPPORTED',
    ],
  }),
  'sponsorship.feeQuotes': procedure({
    summary: 'Quote what a user operation would cost in the tokens asked for, or in all there are',
    input: request.extend({ options: feeQuoteOptions }),
    output: z.strictObject({
      paymasterAddress: z.string(),
      feeQuotes: z.array(feeQuote),
      unsupportedTokens: z.array(z.string()),
    }),
    errors: ['UNKNOWN_API_KEY', 'PAYMASTER_NOT_READY', 'CHAIN_UNREACHABLE', 'GAS_ESTIMATION_FAILED'],
  }),
  'sponsorship.feeTokens': procedure({
    summary: 'List the tokens in which users of a DApp may pay',
    input: caller,
    output: z.strictObject({
      paymasterAddress: z.string(),
      tokens: z.array(
        z.strictObject({
          address: z.string(),
          symbol: z.string(),
          decimals: z.number(),
          exchangeRate: integer.describe('Smallest units of the token per 1e18 wei, premium included'),
        }),
      ),
    }),
    errors: ['UNKNOWN_API_KEY', 'PAYMASTER_NOT_READY', 'CHAIN_UNREACHABLE'],
  }),
  'sponsorship.balance': procedure({
    summary: 'Tell what there is to pay with, and how much of it is promised to operations not yet mined',
    input: caller,
    output: z.strictObject({ balanceWei: integer, promisedWei: integer }),
    errors: ['UNKNOWN_API_KEY', 'PAYMASTER_NOT_READY', 'CHAIN_UNREACHABLE'],
  }),
};
