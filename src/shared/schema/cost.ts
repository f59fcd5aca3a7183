import { z } from 'zod';

/** By what the costs of mined operations can be grouped. */
export const costGrouping = z.enum(['dapp', 'method', 'sender', 'bundler', 'month']);

export type CostGrouping = z.output<typeof costGrouping>;

/** The parts of a cost, in the order of reports. */
export const costParts = [
  'workWei',
  'tipWei',
  'revertedWei',
  'penaltyWei',
  'preVerificationWei',
  'contractWei',
] as const;

export type CostPart = (typeof costParts)[number];
