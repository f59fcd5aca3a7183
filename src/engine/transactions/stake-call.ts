import { Interface } from 'ethers';
import { entryPoints } from '../../core/entry-points/registry.ts';
import { requireAttachable } from '../../core/paymaster-layouts/registry.ts';
import { LEAST_UNSTAKE_DELAY } from '../../core/reputation/reputation.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import { requireNode } from '../chain/require-node.ts';
import { readStake } from '../paymaster/read-stake.ts';
import { requireContract } from '../paymaster/readiness.ts';
import { withCallErrors } from '../paymaster/verify-contract.ts';
import type { Action, ActionCall } from './action.ts';
import { type ActionContext, amountsOn, failing, mustBeOwned } from './action-context.ts';

const abi = new Interface([
  'function addStake(uint32 unstakeDelaySec) payable',
  'function unlockStake()',
  'function withdrawStake(address to)',
]);

const encode = (name: string, ...values: unknown[]): Hex => abi.encodeFunctionData(name, values) as Hex;

const stakeOf = async (
  { store, chains }: ActionContext,
  { chainId, version }: { chainId: number; version: string },
) => {
  const layout = requireAttachable(version);
  const { address } = await requireContract(store, chainId, layout);
  const entryPoint = entryPoints[layout.entryPointVersion].address;
  const { call } = await requireNode(chains, chainId);
  const stake = await withCallErrors({ chainId, layout, contract: address }, () =>
    readStake(call, entryPoint, address),
  );
  return { address, entryPoint, stake, common: { chainId, paymasterId: null, version, to: address, signer: null } };
};

/** Adds to the stake. @throws EngineError `TRANSACTION_WOULD_FAIL`, `CONTRACT_MISMATCH`, `CHAIN_UNREACHABLE` */
export const addStake = async (context: ActionContext, action: Action<'addStake'>): Promise<ActionCall> => {
  const { amountWei, unstakeDelaySec } = action;
  const { address, stake, common } = await stakeOf(context, action);
  const seconds = unstakeDelaySec ?? Math.max(stake.unstakeDelaySec, LEAST_UNSTAKE_DELAY);
  if (seconds < stake.unstakeDelaySec) {
    throw failing(`The delay of the stake is ${stake.unstakeDelaySec} s, and the EntryPoint never shortens it.`);
  }
  const amount = (await amountsOn(context.store, action.chainId))(amountWei);
  const summary = `Adds ${amount} to the stake of the contract ${address}. After unlocking it, you wait ${seconds} s before you can withdraw it.`;
  return { ...common, valueWei: amountWei, data: encode('addStake', seconds), summary };
};

/** Starts the delay after which the stake can be withdrawn. @throws as `addStake` */
export const unlockStake = async (context: ActionContext, action: Action<'unlockStake'>): Promise<ActionCall> => {
  const { address, stake, common } = await stakeOf(context, action);
  if (stake.stakeWei === 0n) throw failing(`The contract ${address} has no stake.`);
  if (!stake.isStaked) throw failing(`The stake of the contract ${address} is unlocked already.`);
  const summary = `Unlocks the stake of the contract ${address}, which can be withdrawn ${stake.unstakeDelaySec} s later. Bundlers treat the contract as not staked from now on.`;
  return { ...common, valueWei: 0n, data: encode('unlockStake'), summary };
};

/** Pays out the whole unlocked stake. @throws as `addStake` */
export const withdrawStake = async (context: ActionContext, action: Action<'withdrawStake'>): Promise<ActionCall> => {
  const { address, entryPoint, stake, common } = await stakeOf(context, action);
  if (stake.stakeWei === 0n) throw failing(`The contract ${address} has no stake.`);
  if (stake.isStaked) {
    throw failing(`Unlock the stake of the contract ${address} first. Its delay is ${stake.unstakeDelaySec} s.`);
  }
  mustBeOwned({ contract: address, entryPoint }, action.to);
  const amount = (await amountsOn(context.store, action.chainId))(stake.stakeWei);
  const summary = `Withdraws the stake of ${amount} of the contract ${address} to ${action.to}.`;
  return { ...common, valueWei: 0n, data: encode('withdrawStake', action.to), summary };
};
