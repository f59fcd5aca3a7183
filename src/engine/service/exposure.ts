import type { ProcedureOutput } from '../../api/index.ts';
import { accountOfTank } from '../sponsorship/tank-account.ts';
import { unreachableBudget } from '../sponsorship/unreachable-budget.ts';
import type { Tank } from '../paymaster/readiness.ts';
import type { OutstandingReservations } from '../store/decision-queries.ts';
import type { Dapp } from '../store/registry-store.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';
import { type TankBalance, type TankContext, errorOf, findTank, readTankBalance, tankState } from './tank-state.ts';

type Exposure = ProcedureOutput<'exposure.get'>;

/**
 * Callers share a result for ten times as long as it took to measure, and at most for the longer time, because node
 * providers bill requests.
 */
const SHARED_TIMES = 10;
const SHARED_MS = 5_000;

const idOf = (tank: Tank): string => accountOfTank(tank).id;

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

/** Reads the current reservations, and the balances of the tanks that pay for them. */
export const measureExposure = async (context: TankContext): Promise<Exposure> => {
  const { store, chains } = context;

  const reach = async (chainId: number): Promise<Pick<Exposure['chains'][number], 'state' | 'error'>> => {
    try {
      const rpc = await chains.rpc(chainId);
      if (rpc === undefined) return { state: 'unchecked', error: null };
      await rpc.send('eth_blockNumber', []);
      return { state: 'reachable', error: null };
    } catch (error) {
      return { state: 'unreachable', ...errorOf(error) };
    }
  };

  const [dapps, open, settings] = await Promise.all([
    store.listDapps(),
    store.outstandingReservations(),
    store.listChains(),
  ]);
  const tanks = new Map<Dapp, Tank | { error: string }>();
  for (const dapp of dapps) tanks.set(dapp, await findTank(context, dapp));
  const keys = [...tanks.values()].flatMap((one) => ('error' in one ? [] : [idOf(one)]));
  const balances = new Map<string, Promise<TankBalance>>();
  const balanceOf = (one: Tank): Promise<TankBalance> => {
    const balance = balances.get(idOf(one)) ?? readTankBalance(context, one);
    balances.set(idOf(one), balance);
    return balance;
  };

  const tankOf = async (dapp: Dapp, own: OutstandingReservations | undefined) => {
    const one = tanks.get(dapp) ?? { error: '' };
    const {
      balanceWei,
      freeWei,
      operationWei,
      lowBelowWei = 0n,
      level,
      error,
      ...state
    } = await tankState(context, dapp, one, balanceOf);
    const isCounted = freeWei !== null && operationWei !== undefined && operationWei > 0n;
    return {
      balanceWei: balanceWei === null ? null : String(balanceWei),
      reservedWei: String(state.reservedWei ?? own?.reservedWei ?? 0n),
      freeWei: freeWei === null ? null : String(freeWei),
      operationsLeft: isCounted ? String(freeWei / operationWei) : null,
      lowBelowWei: String(lowBelowWei),
      level,
      sharedBy: 'error' in one ? 1 : keys.filter((key) => key === idOf(one)).length,
      error,
    };
  };

  const ofDapps = dapps.map(async (dapp) => {
    const { paymasterId, chainId } = dapp;
    const own = open.find((one) => one.paymasterId === paymasterId);
    const reserved = { reservedWei: String(own?.reservedWei ?? 0n), operations: own?.operations ?? 0 };
    return { paymasterId, chainId, ...reserved, tank: await tankOf(dapp, own) };
  });
  const used = settings.filter(({ rpc }) => rpc !== null).map(({ chainId }) => chainId);
  const chainIds = new Set([...dapps.map(({ chainId }) => chainId), ...used]);
  const ofChains = [...chainIds].map(async (chainId) => {
    const own = open.filter((one) => one.chainId === chainId);
    const chain = settings.find((one) => one.chainId === chainId);
    return {
      chainId,
      reservedWei: String(sum(own.map(({ reservedWei }) => reservedWei))),
      operations: own.reduce((count, { operations }) => count + operations, 0),
      ...(await reach(chainId)),
      unreachable: chain === undefined ? null : await unreachableBudget(store, chain),
    };
  });
  // All at once, because an error that no one waits for ends the process.
  const [readChains, readDapps] = await Promise.all([Promise.all(ofChains), Promise.all(ofDapps)]);
  return { chains: readChains, dapps: readDapps };
};

export const exposureHandlers = (context: ServiceContext): Handlers<NamesOf<'exposure'>> => {
  const { clock } = context;
  let latest: Promise<Exposure> | undefined;
  /** Monotonic ms. */
  let sharedUntil = 0;

  const measure = async (): Promise<Exposure> => {
    const start = clock.monotonic();
    const exposure = await measureExposure(context);
    const end = clock.monotonic();
    sharedUntil = end + Math.min(SHARED_MS, SHARED_TIMES * (end - start));
    return exposure;
  };

  return {
    'exposure.get': () => {
      if (latest === undefined || clock.monotonic() >= sharedUntil) {
        sharedUntil = Infinity;
        latest = measure();
        latest.catch(() => (sharedUntil = 0));
      }
      return latest;
    },
  };
};
