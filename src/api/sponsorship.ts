import { z } from 'zod';
import { feeQuote } from '../shared/schema/fee-token.ts';
import { partialUserOperation } from '../shared/schema/partial-user-operation.ts';
import { feeQuoteOptions, personProof, sponsorshipOptions } from '../shared/schema/sponsorship.ts';
import { address, hash } from '../shared/schema/hex.ts';
import { chainId } from '../shared/schema/text.ts';
import { entryPointVersion } from '../shared/schema/user-operation.ts';
import { procedure } from './procedure.ts';

const caller = z.strictObject({ chainId, apiKey: z.string() });

const request = caller.extend({
  method: z.string(),
  userOperation: partialUserOperation,
  options: sponsorshipOptions,
  received: z.unknown().describe('The request as received, for the trace'),
});

const reason = z.strictObject({ code: z.string(), rule: z.string(), message: z.string(), hint: z.string() });

/** A decimal string, because gas limits and amounts may be too large for JSON numbers. */
const integer = z.string();

const epochMs = z.number().describe('epoch ms');

/** How much of a limit is left. Amounts are decimal. */
export const allowance = z.strictObject({
  rule: z.string().describe('Name of the limit'),
  unit: z.enum(['operations', 'wei', 'usd']).describe('usd: 10^-18 US dollars'),
  limit: integer,
  used: integer.describe('By mined operations, and reserved for signed ones that are not mined yet'),
  remaining: integer,
  resetsAt: epochMs.nullable().describe('When the limit starts again from zero, epoch ms; null: never'),
});

/** What became of a sponsored operation. */
export const outcome = z.strictObject({
  outcome: z.enum(['sponsored', 'denied', 'error']),
  code: z.string(),
  settlement: z.enum(['reserved', 'settled', 'released', 'unconfirmed']).nullable(),
  at: epochMs.describe('Time of the decision, epoch ms'),
  actualCost: integer.optional().describe('Wei; only if it is settled'),
});

const fees = z.strictObject({ maxFeePerGas: integer, maxPriorityFeePerGas: integer });

const paymasterPart = z.strictObject({
  paymasterAndData: z.string().describe('In the format of the contracts; 0x for none'),
  fields: z
    .strictObject({
      paymaster: z.string(),
      paymasterData: z.string(),
      paymasterVerificationGasLimit: integer,
      paymasterPostOpGasLimit: integer,
      paymasterSignature: z
        .string()
        .optional()
        .describe('If the signature is a suffix, and not asked for in paymasterData'),
    })
    .optional()
    .describe('The same data as fields of the operation, from EntryPoint v0.7 on'),
});

/** Procedures for deciding and signing, and for what a DApp may read before it requests sponsorship. */
export const sponsorshipProcedures = {
  'sponsorship.dapp': procedure({
    summary: 'Show the DApp of an API key, and the EntryPoint of its operations',
    input: caller,
    output: z.strictObject({
      name: z.string(),
      icon: z.string().optional(),
      isSponsorTold: z.boolean().describe('Whether stub data names the sponsor'),
      version: z.string(),
      entryPoint: z.string(),
      entryPointVersion,
    }),
    errors: ['UNKNOWN_API_KEY', 'VERSION_NOT_SUPPORTED'],
  }),
  'sponsorship.sponsor': procedure({
    summary: 'Decide whether to sponsor a user operation, sign it if so, and store the decision before answering',
    input: request.extend({
      isPaidByUserElse: z
        .boolean()
        .optional()
        .describe('Whether the user pays for an operation that is denied: then its gas is estimated, if requested'),
    }),
    output: paymasterPart.extend({
      decisionId: z.string().optional().describe('Absent in the commit phase, which stores only denials'),
      sponsored: z.boolean(),
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
      'Return paymaster data for estimating gas, or the reason why the operation would be denied. Reserves nothing',
    input: request,
    output: paymasterPart.extend({ reason: reason.optional() }),
    errors: [
      'UNKNOWN_API_KEY',
      'PAYMASTER_NOT_READY',
      'CHAIN_UNREACHABLE',
      'FEE_TOKEN_REQUIRED',
      'TOKEN_NOT_SUPPORTED',
    ],
  }),
  'sponsorship.feeQuotes': procedure({
    summary: 'Quote the cost of a user operation in the tokens asked for, or in all accepted tokens',
    input: request.extend({ options: feeQuoteOptions }),
    output: z.strictObject({
      paymasterAddress: z.string(),
      feeQuotes: z.array(feeQuote),
      unsupportedTokens: z.array(z.string()),
    }),
    errors: ['UNKNOWN_API_KEY', 'PAYMASTER_NOT_READY', 'CHAIN_UNREACHABLE', 'GAS_ESTIMATION_FAILED', 'NOT_SPONSORED'],
  }),
  'sponsorship.feeTokens': procedure({
    summary: 'List the tokens in which users of a DApp may pay',
    input: caller,
    output: z.strictObject({
      paymasterAddress: z
        .string()
        .describe('Contract that takes the tokens or, if none does, the contract that sponsors'),
      dummy: paymasterPart.optional().describe('For a sponsored operation, with the gas limits of a token payment'),
      tokens: z.array(
        z.strictObject({
          address: z.string(),
          symbol: z.string(),
          decimals: z.number(),
          exchangeRate: integer.describe('Smallest units of the token per 1e18 wei, premium included'),
          postOpGas: integer.describe("Gas that is charged at most in addition to the operation's own gas"),
          nativeToUsd: integer.describe('Millionths of a USD per 1e18 wei; 0 if unknown'),
        }),
      ),
      reason: reason.optional().describe('Why users cannot pay in tokens'),
    }),
    errors: ['UNKNOWN_API_KEY', 'PAYMASTER_NOT_READY', 'CHAIN_UNREACHABLE'],
  }),
  'sponsorship.gasPrice': procedure({
    summary: 'Suggest fees for an operation, in wei per gas, by the bundler of the chain, or else by its node',
    input: caller,
    output: z.strictObject({ slow: fees, standard: fees, fast: fees }),
    errors: ['UNKNOWN_API_KEY', 'PAYMASTER_NOT_READY', 'CHAIN_UNREACHABLE'],
  }),
  'sponsorship.forward': procedure({
    summary: "Pass a bundler's method on to the bundler of the chain, if the operator allows it",
    input: caller.extend({ method: z.string(), params: z.array(z.unknown()) }),
    output: z.unknown().describe("The bundler's result"),
    errors: [
      'UNKNOWN_API_KEY',
      'METHOD_NOT_FOUND',
      'NOT_SPONSORED',
      'BUNDLER_REFUSED',
      'CHAIN_UNREACHABLE',
      'VAULT_LOCKED',
    ],
  }),
  'sponsorship.allowance': procedure({
    summary: 'Show how much of each spending limit is left for a user. Reads no chain and reserves nothing',
    input: caller.extend({ sender: address, ...personProof }),
    output: z.strictObject({ limits: z.array(allowance) }),
    errors: ['UNKNOWN_API_KEY', 'PAYMASTER_NOT_READY'],
  }),
  'sponsorship.outcome': procedure({
    summary: 'Show what became of an operation of the DApp; null if Gasdesk did not sponsor it for this DApp',
    input: caller.extend({ userOpHash: hash }),
    output: outcome.nullable(),
    errors: ['UNKNOWN_API_KEY'],
  }),
  'sponsorship.balance': procedure({
    summary: 'Show the balance of the gas tank, and the part that is reserved for operations that are not mined yet',
    input: caller,
    output: z.strictObject({ balanceWei: integer, reservedWei: integer }),
    errors: ['UNKNOWN_API_KEY', 'PAYMASTER_NOT_READY', 'CHAIN_UNREACHABLE'],
  }),
};
