import { id } from 'ethers';

/**
 * Topics of the event in which a contract with tanks reports its charge, right before the EntryPoint's event for the
 * operation: of 1.1.0 in its package, of 1.0.0 and 1.1.0 as deployed, and of 2.0.0.
 */
export const DEDUCTION_TOPICS: readonly string[] = [
  id('GasBalanceDeducted(address,uint256)'),
  id('GasBalanceDeducted(address,uint256,bytes32)'),
  id('GasBalanceDeducted(address,uint256,uint256)'),
];

/** Index of the topic with the amount in wei. The topic before it is the funding wallet. */
export const DEDUCTION_AMOUNT_TOPIC = 2;
