import { hexlify } from 'ethers';
import { EngineError } from '../../shared/errors.ts';
import { type ChainUrls, carriesCredentials, vaultUrlName, withoutCredentials } from '../chain/chain-access.ts';
import { breakerOf } from '../../core/rules/burn-rate/index.ts';
import { chainSymbol, defaultMaxOperationCostWei, knownChains } from '../../shared/chains.ts';
import type { ProcedureOutput } from '../../api/index.ts';
import { sampleGasSchedule } from '../chain/gas-schedules/sample-schedules.ts';
import { scheduleAt } from '../chain/gas-schedules/schedule-at.ts';
import { sampleFees } from '../chain/fees/sample-fees.ts';
import { isUnchecked } from '../chain/is-unchecked.ts';
import { requireNode } from '../chain/require-node.ts';
import { unreachableBudget } from '../sponsorship/unreachable-budget.ts';
import { Secret } from '../base/secret.ts';
import { addressOf, signerKeyName } from '../signer/chain-signer.ts';
import { dropNextSigner, prepareNextSigner, useNextSigner } from '../paymaster/next-signer.ts';
import type { ChainSettings, ChainSigner, ChainState } from '../store/registry-store.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** Requires a chain that is built in or that the operator has added. @throws EngineError `CHAIN_NOT_SUPPORTED` */
export const requireChain = async ({ store }: Pick<ServiceContext, 'store'>, chainId: number): Promise<void> => {
  if (knownChains.has(chainId) || (await store.findChain(chainId)) !== undefined) return;
  throw new EngineError('CHAIN_NOT_SUPPORTED');
};

const unset = {
  name: null,
  symbol: null,
  rpc: null,
  bundler: null,
  treasury: null,
  breaker: 'default' as const,
  unreachableBudgetWei: null,
  maxOperationCostWei: null,
  price: null,
  forwardBundler: null,
  gasSchedule: null,
};

type ViewStore = Pick<ServiceContext['store'], 'listChains' | 'rollingHoldings'>;

/** What the engine has read from chains; absent if it reads none, as in a review. */
type ChainReads = Pick<ServiceContext, 'fees' | 'deposits' | 'clock'>;

/** The breaker's current threshold, according to the last reads; null if no breaker is set, or nothing was read. */
const breakerAmountWei = (chain: ChainState, seen: ChainReads | undefined): string | null => {
  const { chainId } = chain;
  const believed = seen?.fees.lastBelieved(chainId);
  const depositsWei = seen?.deposits.lastKnown(chainId);
  const facts = believed && {
    baseFeeWei: String(believed.baseFeeWei),
    believedTipWei: String(believed.tipWei ?? 0n),
    ...(depositsWei !== undefined && { depositsWei: String(depositsWei) }),
  };
  const { name: gasSchedule } = scheduleAt(chain, seen?.clock.now() ?? 0);
  const breaker = breakerOf({ dapp: { chainId }, chain }, { chain: facts ?? null, gasSchedule });
  return breaker === undefined ? null : String(breaker.thresholdWei);
};

/** A chain's gas schedule at a time (epoch ms), and where it comes from. */
const gasScheduleView = (chain: ChainState, at: number): ProcedureOutput<'chains.list'>[number]['gasSchedule'] => {
  const { name } = scheduleAt(chain, at);
  const { gasSchedule: pinned, gasScheduleReading: reading } = chain;
  if (pinned !== null) return { name, source: 'pinned', next: null };
  if (typeof reading?.name !== 'string') return { name, source: 'assumed', next: null };
  const { source, next } = reading;
  return { name, source, next: next !== null && at < next.at ? next : null };
};

const view = async (
  { store, seen }: { readonly store: Pick<ViewStore, 'rollingHoldings'>; readonly seen?: ChainReads | undefined },
  chainId: number,
  settings: ChainState = { chainId, ...unset, gasScheduleReading: null },
) => {
  const known = knownChains.get(chainId);
  const { unreachableBudgetWei: _, gasScheduleReading: __, ...shown } = settings;
  return {
    ...shown,
    gasSchedule: gasScheduleView(settings, seen?.clock.now() ?? 0),
    breakerAmountWei: breakerAmountWei(settings, seen),
    defaultMaxOperationCostWei: String(defaultMaxOperationCostWei(chainId)),
    name: settings.name ?? known?.name ?? `Chain ${chainId}`,
    symbol: chainSymbol(chainId, settings),
    unchecked: isUnchecked(settings),
    unreachable: await unreachableBudget(store, settings),
    explorer: known?.explorer ?? null,
    builtIn: known !== undefined,
  };
};

/** Built-in chains, and chains that the operator has set up. */
export const chainViews = async (store: ViewStore, seen?: ChainReads) => {
  const settings = new Map((await store.listChains()).map((chain) => [chain.chainId, chain]));
  const ids = new Set([...knownChains.keys(), ...settings.keys()]);
  const sorted = [...ids].sort((a, b) => a - b);
  return Promise.all(sorted.map((chainId) => view({ store, seen }, chainId, settings.get(chainId))));
};

const counted = (count: number, what: string, which = ''): string | undefined =>
  count === 0 ? undefined : `${count} ${what}${count === 1 ? '' : 's'}${which}`;

type SetInput = Parameters<Handlers<'chains.set'>['chains.set']>[0];
type Limits = Pick<ChainSettings, 'breaker' | 'unreachableBudgetWei' | 'maxOperationCostWei' | 'price' | 'gasSchedule'>;

/** Replaces the given limits. Null removes a limit. */
const changedLimits = (
  before: Limits,
  {
    breaker,
    unreachable,
    maxOperationCostWei,
    price,
    gasSchedule,
  }: Pick<SetInput, 'breaker' | 'unreachable' | 'maxOperationCostWei' | 'price' | 'gasSchedule'>,
): Limits => ({
  breaker: breaker === undefined ? before.breaker : breaker,
  unreachableBudgetWei: unreachable === undefined ? before.unreachableBudgetWei : (unreachable?.budgetWei ?? null),
  maxOperationCostWei: maxOperationCostWei === undefined ? before.maxOperationCostWei : maxOperationCostWei,
  price: price === undefined ? before.price : price,
  gasSchedule: gasSchedule === undefined ? before.gasSchedule : gasSchedule,
});

/** Chains and their signers. */
export const chainHandlers = (context: ServiceContext): Handlers<NamesOf<'chains'> | NamesOf<'signers'>> => {
  const { store, vault, entropy } = context;
  const rpc = (chainId: number) => requireNode(context.chains, chainId);

  /**
   * Stores a URL that contains credentials in the vault. @returns the form of the URL that may be shown and stored
   * unencrypted
   */
  const keepUrl = async (chainId: number, kind: keyof ChainUrls, url: string | null): Promise<string | null> => {
    const name = vaultUrlName(chainId, kind);
    if (url === null || !carriesCredentials(url)) {
      if (vault.state === 'unlocked') await vault.delete(name);
      return url;
    }
    await vault.set(name, new Secret(url));
    return withoutCredentials(url);
  };

  /**
   * Refuses a URL whose node belongs to another chain. A node that cannot be reached is accepted, unless an answer is
   * required.
   *
   * @returns whether the node was reached
   * @throws EngineError `CHAIN_MISMATCH` if the node belongs to another chain; `CHAIN_UNREACHABLE` if an answer is
   * required and none comes
   */
  const refuseOtherChain = async (
    chainId: number,
    what: string,
    url: string,
    mustAnswer: boolean,
  ): Promise<boolean> => {
    const answered = await context.chains.chainIdAt(url);
    if (answered === undefined && mustAnswer) {
      const message = `No ${what} answers at this URL with its chain id. Nothing was changed.`;
      throw new EngineError('CHAIN_UNREACHABLE', message);
    }
    if (answered === undefined || answered === chainId) return answered !== undefined;
    const message = `The ${what} at this URL serves chain ${answered}, not chain ${chainId}. Nothing was changed.`;
    throw new EngineError('CHAIN_MISMATCH', message, { expected: chainId, answered });
  };

  /** Refuses to remove a chain that is in use: without its settings and URLs it would no longer be watched. */
  const refuseInUse = async (chainId: number): Promise<void> => {
    const [dapps, contracts, reservations] = await Promise.all([
      store.listDapps(),
      store.listPaymasterContracts(),
      store.outstandingReservations(),
    ]);
    const isHere = (one: { chainId: number }): boolean => one.chainId === chainId;
    const reserved = reservations.filter(isHere).reduce((sum, { operations }) => sum + operations, 0);
    const present = [
      counted(dapps.filter(isHere).length, 'DApp'),
      counted(contracts.filter(isHere).length, 'paymaster contract'),
      counted(reserved, 'signed operation', ' that may still be mined'),
    ].filter((words) => words !== undefined);
    if (present.length === 0) return;
    const lost = 'Removing it deletes its RPC and bundler URLs and its treasury.';
    const message = `Chain ${chainId} still has ${present.join(', ')}. ${lost} Use --force to remove it anyway.`;
    throw new EngineError('CHAIN_IN_USE', message, { present });
  };

  const refuseReplacing = async (chainId: number): Promise<void> => {
    const present = await store.findSigner(chainId);
    if (present === undefined) return;
    const message = `Chain ${chainId} already has the signer ${present.address}. Use --replace to replace it; its key is then lost.`;
    throw new EngineError('SIGNER_EXISTS', message, { address: present.address });
  };

  const keepSigner = async (chainId: number, privateKey: string, replace: boolean): Promise<ChainSigner> => {
    await requireChain(context, chainId);
    if (!replace) await refuseReplacing(chainId);
    const address = addressOf(privateKey);
    await vault.set(signerKeyName(chainId), new Secret(privateKey));
    const signer: ChainSigner = { chainId, address };
    await store.saveSigner(signer);
    return signer;
  };

  return {
    'chains.set': async ({ chainId, rpc, bundler, name, symbol, treasury, forwardBundler, mustAnswer, ...limits }) => {
      const [nodeAnswers, bundlerAnswers] = await Promise.all([
        rpc === undefined ? undefined : refuseOtherChain(chainId, 'node', rpc, mustAnswer),
        bundler ? refuseOtherChain(chainId, 'bundler', bundler, mustAnswer) : undefined,
      ]);
      const urls = {
        ...(rpc !== undefined && { rpc: await keepUrl(chainId, 'rpc', rpc) }),
        ...(bundler !== undefined && { bundler: await keepUrl(chainId, 'bundler', bundler) }),
      };
      const before = (await store.findChain(chainId)) ?? unset;
      const settings: ChainSettings = {
        chainId,
        name: name ?? before.name,
        symbol: symbol ?? before.symbol,
        rpc: before.rpc,
        bundler: before.bundler,
        ...urls,
        treasury: treasury ?? before.treasury,
        ...changedLimits(before, limits),
        forwardBundler: forwardBundler === undefined ? before.forwardBundler : forwardBundler,
      };
      await store.saveChain(settings);
      // Samples the chain's usual fees now, because the operator chose this moment; a sender could not choose it.
      if (nodeAnswers) await Promise.all([sampleFees(context, chainId), sampleGasSchedule(context, chainId)]);
      const stored = await view({ store, seen: context }, chainId, await store.findChain(chainId));
      return {
        ...stored,
        ...(nodeAnswers !== undefined && { nodeAnswers }),
        ...(bundlerAnswers !== undefined && { bundlerAnswers }),
      };
    },
    'chains.identify': async ({ url }) => ({ chainId: (await context.chains.chainIdAt(url)) ?? null }),
    'chains.list': () => chainViews(store, context),
    'chains.coinPrice': async ({ chainId, price }) => {
      const coinPrice = await context.rates.coinPrice(chainId, price);
      if (coinPrice.usd === null) return { usd: null, updatedAt: null, error: coinPrice.error };
      return { usd: coinPrice.usd, updatedAt: coinPrice.updatedAt ?? null, error: null };
    },
    'chains.remove': async ({ chainId, force }) => {
      if (!force) await refuseInUse(chainId);
      if (!(await store.removeChain(chainId))) throw new EngineError('CHAIN_NOT_FOUND');
      context.fees.forget(chainId);
      if (vault.state === 'unlocked') {
        await vault.delete(vaultUrlName(chainId, 'rpc'));
        await vault.delete(vaultUrlName(chainId, 'bundler'));
      }
      return null;
    },
    'signers.create': ({ chainId, replace }) => keepSigner(chainId, hexlify(entropy.bytes(32)), replace),
    'signers.import': ({ chainId, privateKey, replace }) => keepSigner(chainId, privateKey, replace),
    'signers.prepareNext': ({ chainId }) => prepareNextSigner(context, chainId),
    'signers.useNext': ({ chainId }) => useNextSigner({ store, vault, rpc }, chainId),
    'signers.dropNext': async ({ chainId }) => {
      await dropNextSigner({ store, vault, rpc }, chainId);
      return null;
    },
    'signers.list': () => store.listSigners(),
  };
};
