import { entryPoints } from '../../core/entry-points/registry.ts';
import { requireAttachable } from '../../core/paymaster-layouts/registry.ts';
import {
  LEAST_UNSTAKE_DELAY,
  reputationStatus,
  seenBeforeThrottling,
  unstakedAllowance,
} from '../../core/reputation/reputation.ts';
import { requireNode } from '../chain/require-node.ts';
import type { Address } from '../../shared/schema/hex.ts';
import { dappsOf, operationCounts } from '../paymaster/operation-counts.ts';
import { readStake } from '../paymaster/read-stake.ts';
import { requireContract } from '../paymaster/readiness.ts';
import { recentBundlers } from '../paymaster/recent-bundlers.ts';
import { withCallErrors } from '../paymaster/verify-contract.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** What a contract's EntryPoint, its recent blocks and the decisions say about its standing with bundlers. */
export const reputationHandlers = (context: ServiceContext): Handlers<NamesOf<'reputation'>> => {
  const { store, chains, clock } = context;

  const readChain = async (attached: Parameters<typeof withCallErrors>[0], entryPoint: Address) => {
    const rpc = await requireNode(chains, attached.chainId);
    const paymaster = attached.contract;
    return withCallErrors(attached, () =>
      Promise.all([readStake(rpc.call, entryPoint, paymaster), recentBundlers(rpc, { entryPoint, paymaster })]),
    );
  };

  return {
    'reputation.get': async (target) => {
      const { chainId, version } = target;
      const layout = requireAttachable(version);
      const { address: contract } = await requireContract(store, chainId, layout);
      const entryPoint = entryPoints[layout.entryPointVersion].address;
      const [[stake, recent], counts, dapps, open] = await Promise.all([
        readChain({ chainId, contract, layout }, entryPoint),
        operationCounts(store, clock, target),
        dappsOf(store, target),
        store.outstandingReservations(),
      ]);
      const outstandingWei = open
        .filter(({ paymasterId }) => dapps.includes(paymasterId))
        .reduce((sum, { reservedWei }) => sum + reservedWei, 0n);
      return {
        chainId,
        version,
        contract,
        entryPoint,
        depositWei: String(stake.depositWei),
        outstandingWei: String(outstandingWei),
        stakeWei: String(stake.stakeWei),
        isStaked: stake.isStaked && stake.unstakeDelaySec >= LEAST_UNSTAKE_DELAY,
        unstakeDelaySec: stake.unstakeDelaySec,
        withdrawableAt: stake.withdrawableAt ?? null,
        opsSeen: counts.seen,
        opsIncluded: counts.included,
        status: reputationStatus(counts),
        seenBeforeThrottling: seenBeforeThrottling(counts),
        unstakedAllowance: unstakedAllowance(counts),
        bundlers: [...recent.bundlers],
        fromBlock: recent.fromBlock,
      };
    },
  };
};
