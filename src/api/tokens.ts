import { z } from 'zod';
import { feeTokenDefinition } from '../shared/schema/fee-token.ts';
import { address } from '../shared/schema/hex.ts';
import { chainId } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

export const tokenProcedures = {
  'feeTokens.set': procedure({
    summary: 'Add a fee token or replace its settings. If the chain answers, Gasdesk compares them with the contract',
    input: feeTokenDefinition,
    output: z.strictObject({
      ...feeTokenDefinition.shape,
      note: z.string().describe('What the chain reports about the token, or why the chain could not be read'),
    }),
    errors: ['CHAIN_NOT_SUPPORTED', 'FEE_TOKEN_MISMATCH'],
  }),
  'feeTokens.list': procedure({
    summary: 'List the fee tokens of a chain or of all',
    input: z.strictObject({ chainId: chainId.optional() }),
    output: z.array(feeTokenDefinition),
  }),
  'feeTokens.rate': procedure({
    summary: 'Show the current rate of a fee token, which need not be saved',
    input: feeTokenDefinition,
    output: z.strictObject({
      tokensPerCoin: z.string().nullable().describe('Whole tokens for one native coin, without the premium'),
      error: z.string().nullable().describe('Why the rate is unknown'),
    }),
  }),
  'feeTokens.remove': procedure({
    summary: 'Stop accepting a token',
    input: z.strictObject({ chainId, address }),
    errors: ['FEE_TOKEN_NOT_FOUND'],
  }),
};
