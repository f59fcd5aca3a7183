import type { Service } from '../../src/engine/service/index.ts';

/** Sets the node of a chain whose fees the desk does not know: removes the chain's history and keeps its limits. */
export const setUnseenChain = async ({ call }: Pick<Service, 'call'>, chainId: number, rpc: string): Promise<void> => {
  const known = (await call('chains.list', {})).find((chain) => chain.chainId === chainId);
  if (known === undefined) throw new Error(`There is no chain ${chainId}`);
  const { name, symbol, bundler, treasury, breaker, unreachable, maxOperationCostWei, price, gasSchedule } = known;
  await call('chains.remove', { chainId, force: true });
  await call('chains.set', {
    chainId,
    rpc,
    name,
    symbol,
    bundler,
    breaker,
    maxOperationCostWei,
    price,
    ...(gasSchedule.source === 'pinned' && { gasSchedule: gasSchedule.name }),
    ...(treasury !== null && { treasury }),
    ...(unreachable !== null && { unreachable: { budgetWei: unreachable.budgetWei } }),
  });
};
