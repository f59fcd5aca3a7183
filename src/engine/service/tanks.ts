import type { ProcedureOutput } from '../../api/index.ts';
import { EngineError } from '../../shared/errors.ts';
import { type Address, sameAddress } from '../../shared/schema/hex.ts';
import { chainSymbol } from '../../shared/chains.ts';
import { isUnchecked } from '../chain/is-unchecked.ts';
import { type RpcClient, RpcError } from '../chain/rpc.ts';
import { accountOfTank } from '../sponsorship/tank-account.ts';
import { readSigner } from '../paymaster/contract-reads.ts';
import { signerKind } from '../../core/paymaster-layouts/layout.ts';
import { requireLayout } from '../../core/paymaster-layouts/registry.ts';
import type { Tank } from '../paymaster/readiness.ts';
import { nextSignerOf } from '../paymaster/next-signer.ts';
import type { Dapp } from '../store/registry-store.ts';
import { readOwner } from '../transactions/simulate.ts';
import { burnPerDay } from './burn-per-day.ts';
import { requireDapp } from './dapps.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';
import { findTank, readTankBalance, tankState } from './tank-state.ts';

type SignerState = ProcedureOutput<'tanks.get'>['signer'];

const WEEK_MS = 7 * 86_400_000;

/** A quotient with two decimals, for display only. */
const quotient = (one: bigint, other: bigint): number => Number((one * 100n) / other) / 100;

/** Null if the chain is unreachable. */
const ifAnswered = async <T>(read: () => Promise<T>): Promise<T | null> => {
  try {
    return await read();
  } catch (error) {
    if (error instanceof EngineError || error instanceof RpcError) return null;
    throw error;
  }
};

export const tankHandlers = (context: ServiceContext): Handlers<NamesOf<'tanks'>> => {
  const { store, vault, chains, clock } = context;

  const sharing = async (own: Dapp, tank: Tank | undefined): Promise<string[]> => {
    if (tank === undefined) return [own.paymasterId];
    const { chainId, version } = own;
    const all = (await store.listDapps()).filter((one) => one.chainId === chainId && one.version === version);
    const isSame = ({ fundingWallet }: Dapp): boolean =>
      !tank.layout.hasTanks ||
      accountOfTank({ ...tank, fundingWallet: fundingWallet ?? undefined }).id === accountOfTank(tank).id;
    return all.filter(isSame).map(({ paymasterId }) => paymasterId);
  };

  /** Total cost per day of the DApps that share the tank, in wei. */
  const burnOf = async (paymasterIds: readonly string[]): Promise<bigint> => {
    const to = clock.now();
    const { paidWei, firstAt } = await store.paidSince({ paymasterIds, from: to - WEEK_MS, to });
    return burnPerDay(paidWei, to - (firstAt ?? to));
  };

  const signerOf = async (dapp: Dapp, contract: Address | null, rpc: RpcClient | null): Promise<SignerState> => {
    const { chainId, version } = dapp;
    const present = (await store.findSigner(chainId))?.address ?? null;
    const next = (vault.state === 'unlocked' ? nextSignerOf(vault, chainId) : undefined) ?? null;
    if (present === null || contract === null || rpc === null) return { vault: present, next, agrees: null };
    const accepted = await ifAnswered(() => readSigner(rpc.call, requireLayout(version), contract, present));
    return { vault: present, next, agrees: accepted === null ? null : sameAddress(accepted, present) };
  };

  const ownerOf = async (tank: Tank | undefined, rpc: RpcClient | null): Promise<Address | null> => {
    if (tank === undefined || tank.layout.hasTanks) return tank?.fundingWallet ?? null;
    return rpc === null ? null : ((await ifAnswered(() => readOwner(rpc, tank.contract))) ?? null);
  };

  return {
    'tanks.get': async ({ paymasterId }) => {
      const dapp = await requireDapp(context, paymasterId);
      const { chainId, version, fundingWallet } = dapp;
      const layout = requireLayout(version);
      const { hasTanks, delayedWithdrawal = false } = layout;
      const found = await findTank(context, dapp);
      const tank = 'error' in found ? undefined : found;
      // A DApp on a contract with tanks has no tank until it has a funding wallet.
      const contract = (await store.findPaymasterContract(chainId, version))?.address ?? null;
      const rpc = (await ifAnswered(() => chains.rpc(chainId))) ?? null;
      const { lowBalanceThresholdWei } = await store.dappPolicy(paymasterId);
      const [state, burnWei, signer, owner, settings] = await Promise.all([
        tankState(context, dapp, found, (one) => readTankBalance(context, one)),
        sharing(dapp, tank).then(burnOf),
        signerOf(dapp, contract, rpc),
        ownerOf(tank, rpc),
        store.findChain(chainId),
      ]);
      const {
        balanceWei,
        freeWei,
        reservedWei = 0n,
        pendingWithdrawalsWei = 0n,
        lowBelowWei = 0n,
        level,
        error,
      } = state;
      const isBurning = freeWei !== null && burnWei > 0n;
      return {
        paymasterId,
        chainId,
        symbol: chainSymbol(chainId, settings),
        version,
        contract,
        fundingWallet,
        hasTanks,
        signerKind: signerKind(layout),
        owner,
        canWithdraw: tank !== undefined && !delayedWithdrawal,
        balanceWei: balanceWei === null ? null : String(balanceWei),
        reservedWei: String(reservedWei),
        pendingWithdrawalsWei: String(pendingWithdrawalsWei),
        freeWei: freeWei === null ? null : String(freeWei),
        burnWeiPerDay: String(burnWei),
        daysLeft: isBurning ? quotient(freeWei, burnWei) : null,
        lowBalanceThresholdWei: lowBalanceThresholdWei === undefined ? null : String(lowBalanceThresholdWei),
        lowBelowWei: String(lowBelowWei),
        level,
        signer,
        unchecked: isUnchecked(settings),
        error,
      };
    },
    'tanks.setThreshold': async ({ paymasterId, lowBalanceThresholdWei }) => {
      await requireDapp(context, paymasterId);
      await store.setLowBalanceThreshold(paymasterId, lowBalanceThresholdWei);
      return null;
    },
  };
};
