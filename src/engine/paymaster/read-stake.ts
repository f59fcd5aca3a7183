import { Interface } from 'ethers';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { type EthCall, UnexpectedAnswer } from './contract-reads.ts';

/** A paymaster contract's deposit and stake in its EntryPoint. Amounts are in wei. */
export interface Stake {
  readonly depositWei: bigint;
  readonly stakeWei: bigint;
  /** False if there is no stake, or if it is unlocked. */
  readonly isStaked: boolean;
  /** Seconds between unlocking and withdrawing. */
  readonly unstakeDelaySec: number;
  /** When an unlocked stake can be withdrawn, unix seconds; undefined if it is not unlocked. */
  readonly withdrawableAt: number | undefined;
}

/** `IStakeManager.DepositInfo`, whose words are the same for every EntryPoint. */
const abi = new Interface([
  'function getDepositInfo(address account) view returns (uint256 deposit, bool staked, uint112 stake, uint32 unstakeDelaySec, uint48 withdrawTime)',
]);

/** Reads deposit and stake. @throws UnexpectedAnswer if the address has no EntryPoint; whatever `call` throws */
export const readStake = async (call: EthCall, entryPoint: Address, paymaster: Address): Promise<Stake> => {
  const answer = await call(entryPoint, abi.encodeFunctionData('getDepositInfo', [paymaster]) as Hex);
  if (answer === '0x') throw new UnexpectedAnswer(`${entryPoint} has no deposits: there is no EntryPoint`);
  const info = abi.decodeFunctionResult('getDepositInfo', answer);
  const withdrawTime = Number(info['withdrawTime']);
  return {
    depositWei: info['deposit'] as bigint,
    stakeWei: info['stake'] as bigint,
    isStaked: info['staked'] as boolean,
    unstakeDelaySec: Number(info['unstakeDelaySec']),
    withdrawableAt: withdrawTime === 0 ? undefined : withdrawTime,
  };
};
