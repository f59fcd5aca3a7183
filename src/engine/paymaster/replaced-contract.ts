import type { Store } from '../store/store.ts';
import { entryPoints } from '../../core/entry-points/registry.ts';
import { EngineError } from '../../shared/errors.ts';
import { weiToDecimal } from '../../shared/schema/decimal.ts';
import { type Address, sameAddress } from '../../shared/schema/hex.ts';
import type { ChainAccess } from '../chain/chain-access.ts';
import { chainSymbol } from '../../shared/chains.ts';
import { RpcError } from '../chain/rpc.ts';
import { UnexpectedAnswer, readDeposit } from './contract-reads.ts';
import type { AttachableLayout } from '../../core/paymaster-layouts/layout.ts';

interface ReplaceContext {
  readonly store: Pick<Store, 'findPaymasterContract' | 'findChain'>;
  readonly chains: Pick<ChainAccess, 'rpc'>;
}

const holds = async ({ store, chains }: ReplaceContext, chainId: number, entryPoint: Address, contract: Address) => {
  try {
    const rpc = await chains.rpc(chainId);
    if (rpc === undefined) return undefined;
    const wei = await readDeposit(rpc.call, entryPoint, contract);
    return `${weiToDecimal(wei)} ${chainSymbol(chainId, await store.findChain(chainId))}`;
  } catch (error) {
    const isSilent = [EngineError, RpcError, UnexpectedAnswer].some((kind) => error instanceof kind);
    if (isSilent) return undefined;
    throw error;
  }
};

/**
 * Describes the contract that a new contract replaces, its balance, and how to return to it; null if it replaces none.
 * Must be called before the new contract is attached.
 *
 * @param next the contract to attach; undefined if it has not been created yet
 */
export const replacedWords = async (
  context: ReplaceContext,
  chainId: number,
  { version, entryPointVersion }: AttachableLayout,
  next?: Address,
): Promise<string | null> => {
  const before = await context.store.findPaymasterContract(chainId, version);
  if (before === undefined || (next !== undefined && sameAddress(before.address, next))) return null;
  const { address } = before;
  const held = await holds(context, chainId, entryPoints[entryPointVersion].address, address);
  const what = held === undefined ? 'Its balance, which Gasdesk cannot read now,' : `Its balance of ${held}`;
  return (
    `It replaces ${address}. ${what} stays there and no longer pays for new operations. ` +
    `To go back, run "gasdesk contract use --chain ${chainId} --version ${version} --address ${address}".`
  );
};
