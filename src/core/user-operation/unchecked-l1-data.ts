import { knownChains } from '../../shared/chains.ts';

/** Allowance for the operation's layer 1 data on a layer 2 whose fee oracle cannot be read, in gas. */
const UNCHECKED_L1_DATA_GAS = 2_500_000n;

/**
 * The maximum amount of gas that a chain may charge for the operation's layer 1 data if the charge cannot be read. A
 * chain that Gasdesk does not know may be a layer 2.
 */
export const uncheckedL1DataGas = (chainId: number): bigint => {
  const known = knownChains.get(chainId);
  return known !== undefined && known.rollup === undefined ? 0n : UNCHECKED_L1_DATA_GAS;
};
