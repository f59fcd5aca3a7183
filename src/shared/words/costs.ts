import type { CostPart } from '../schema/cost.ts';

/** What each part of a cost is called, and what it is for. */
export const costPartWords: Readonly<
  Record<CostPart | 'unsplitWei', { readonly name: string; readonly note: string }>
> = {
  workWei: { name: 'Work', note: 'Gas that the chain used for the operations, at the base fee' },
  tipWei: { name: 'Tip', note: 'What was offered for that gas above the base fee' },
  revertedWei: { name: 'Reverted calls', note: 'Gas and tip of operations whose call reverted: nothing was achieved' },
  penaltyWei: {
    name: 'Unused gas limits',
    note: 'The EntryPoint’s penalty for gas limits far above what was used (estimated)',
  },
  preVerificationWei: { name: 'Bundler’s margin', note: 'preVerificationGas above what the bundle cost its bundler' },
  contractWei: {
    name: 'Paymaster contract',
    note: 'What the contract deducted from the tank beyond the EntryPoint’s charge',
  },
  unsplitWei: { name: 'Not split', note: 'Operations whose receipt Gasdesk has not read' },
};

/** A part of a cost in thousandths of it, to the nearest one. Both are in wei. */
export const thousandths = (part: string, whole: string): number => {
  const [wei, all] = [BigInt(part), BigInt(whole)];
  if (all <= 0n || wei <= 0n) return 0;
  const share = (wei * 1000n + all / 2n) / all;
  return Number(share);
};
