import { z } from 'zod';
import { address } from '../shared/schema/hex.ts';
import { weiText } from '../shared/schema/quantity.ts';
import { chainId } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

const reputation = z.strictObject({
  chainId: z.number(),
  version: z.string(),
  contract: address,
  entryPoint: address,
  depositWei: weiText.describe('What the EntryPoint holds for the gas of the contract'),
  outstandingWei: weiText.describe(
    'What signed operations that are not mined may cost; a bundler takes no more than the deposit covers (EREP-010)',
  ),
  stakeWei: weiText.describe('What the EntryPoint holds as its stake'),
  isStaked: z.boolean().describe('False without a stake, if it is unlocked, or with a delay below a day'),
  unstakeDelaySec: z.number().describe('Wait between unlocking and withdrawing the stake'),
  withdrawableAt: z.number().nullable().describe('When an unlocked stake can be withdrawn, unix s; null: not unlocked'),
  opsSeen: z.number().describe('Signed operations that have ended, as ERC-7562 counts what a bundler has seen'),
  opsIncluded: z.number().describe('Those that were mined, counted likewise'),
  status: z
    .enum(['good', 'atRisk', 'throttled', 'banned'])
    .describe('What a bundler that saw all of these operations makes of the counts'),
  seenBeforeThrottling: z.number().describe('How many more such a bundler may see without one mined'),
  unstakedAllowance: z.number().describe('How many operations it keeps at a time while there is no stake (UREP-020)'),
  bundlers: z
    .array(
      z.strictObject({
        bundler: address.describe('Who sent the transactions'),
        operations: z.number(),
        lastBlock: z.number(),
      }),
    )
    .describe('Who has included operations of the contract in the newest blocks, most first'),
  fromBlock: z.number().describe('The first of these blocks'),
});

export const reputationProcedures = {
  'reputation.get': procedure({
    summary: 'Show the stake of a paymaster contract, who includes its operations, and what ERC-7562 makes of it',
    input: z.strictObject({ chainId, version: z.string() }),
    output: reputation,
    errors: ['PAYMASTER_NOT_READY', 'VERSION_NOT_SUPPORTED', 'RPC_MISSING', 'CHAIN_UNREACHABLE', 'CONTRACT_MISMATCH'],
  }),
};
