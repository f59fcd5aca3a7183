import type { ProcedureOutput } from '../../shared/contract/index.ts';
import { EngineError } from '../../shared/errors.ts';
import { readTank } from '../decision/chain-reads.ts';
import { tankKey } from '../decision/ledger-steps.ts';
import { RpcError } from '../chain/rpc.ts';
import { type ReadyPaymaster, requireReady } from '../paymaster/readiness.ts';
import type { OpenPromise, Paymaster } from '../store/store.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

type Exposure = ProcedureOutput<'exposure.get'>;
type Tank = Exposure['dapps'][number]['tank'];
/** A tank's balance in wei, or why it is not known. */
type Balance = { readonly wei: bigint } | { readonly fault: string };

/** All who ask meanwhile get the same answer: nodes count requests. */
const KEPT_MS = 5_000;
/** A tank that covers fewer operations like the last is low. */
const LOW_OPERATIONS = 20n;

/** An expected failure in its own words. */
const faultOf = (error: unknown): { fault: string } => {
  if (error instanceof EngineError || error instanceof RpcError) return { fault: error.message };
  throw error;
};

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

const levelOf = (free: bigint, cost: bigint | undefined): Tank['level'] => {
  if (free <= 0n) return 'empty';
  return cost !== undefined && free < LOW_OPERATIONS * cost ? 'low' : 'good';
};

/** What is signed for, and what there is to pay it with. */
export const exposureHandlers = (context: ServiceContext): Handlers<NamesOf<'exposure'>> => {
  const { store, vault, chains, clock } = context;

  const reach = async (chainId: number): Promise<Pick<Exposure['chains'][number], 'state' | 'fault'>> => {
    try {
      const rpc = await chains.rpc(chainId);
      if (rpc === undefined) return { state: 'noRpc', fault: null };
      await rpc.send('eth_blockNumber', []);
      return { state: 'reachable', fault: null };
    } catch (error) {
      return { state: 'unreachable', ...faultOf(error) };
    }
  };

  const readBalance = async (ready: ReadyPaymaster): Promise<Balance> => {
    try {
      const rpc = await chains.rpc(ready.chainId);
      if (rpc === undefined) return { fault: `Chain ${ready.chainId} has no RPC URL.` };
      return { wei: await readTank(rpc, ready) };
    } catch (error) {
      return faultOf(error);
    }
  };

  /** The most that the newest operation sponsored for the DApp could cost. */
  const newestCost = async (paymasterId: string): Promise<bigint | undefined> => {
    const [newest] = await store.listDecisions({ paymasterId, outcome: 'sponsored', limit: 1 });
    const cost = newest?.maxCostWei ?? null;
    return cost === null ? undefined : BigInt(cost);
  };

  const measure = async (): Promise<Exposure> => {
    const [paymasters, open, settings] = await Promise.all([
      store.listPaymasters(),
      store.openPromises(),
      store.listChains(),
    ]);
    const ready = new Map<Paymaster, ReadyPaymaster | { fault: string }>();
    for (const paymaster of paymasters) {
      ready.set(paymaster, await requireReady(store, vault, paymaster).catch(faultOf));
    }
    const keys = [...ready.values()].flatMap((one) => ('fault' in one ? [] : [tankKey(one)]));
    const balances = new Map<string, Promise<Balance>>();
    const balanceOf = (one: ReadyPaymaster): Promise<Balance> => {
      const balance = balances.get(tankKey(one)) ?? readBalance(one);
      balances.set(tankKey(one), balance);
      return balance;
    };

    const tankOf = async (paymaster: Paymaster, own: OpenPromise | undefined): Promise<Tank> => {
      const one = ready.get(paymaster) ?? { fault: '' };
      const unknown = { balanceWei: null, freeWei: null, operationsLeft: null, level: 'unknown' as const };
      if ('fault' in one) {
        return { ...unknown, promisedWei: String(own?.promisedWei ?? 0n), sharedBy: 1, fault: one.fault };
      }
      const balance = await balanceOf(one);
      const [promised = 0n] = await store.heldOf([{ key: tankKey(one), kind: 'tank', amount: 0n }]);
      const shared = { promisedWei: String(promised), sharedBy: keys.filter((key) => key === tankKey(one)).length };
      if ('fault' in balance) return { ...unknown, ...shared, fault: balance.fault };
      const cost = await newestCost(paymaster.paymasterId);
      const free = balance.wei > promised ? balance.wei - promised : 0n;
      return {
        ...shared,
        balanceWei: String(balance.wei),
        freeWei: String(free),
        operationsLeft: cost === undefined || cost === 0n ? null : String(free / cost),
        level: levelOf(free, cost),
        fault: null,
      };
    };

    const dapps = paymasters.map(async (paymaster) => {
      const { paymasterId, chainId } = paymaster;
      const own = open.find((promise) => promise.paymasterId === paymasterId);
      const promised = { promisedWei: String(own?.promisedWei ?? 0n), operations: own?.operations ?? 0 };
      return { paymasterId, chainId, ...promised, tank: await tankOf(paymaster, own) };
    });
    const used = settings.filter(({ rpc }) => rpc !== null).map(({ chainId }) => chainId);
    const chainIds = new Set([...paymasters.map(({ chainId }) => chainId), ...used]);
    const ofChains = [...chainIds].map(async (chainId) => {
      const own = open.filter((promise) => promise.chainId === chainId);
      return {
        chainId,
        promisedWei: String(sum(own.map(({ promisedWei }) => promisedWei))),
        operations: own.reduce((count, { operations }) => count + operations, 0),
        ...(await reach(chainId)),
      };
    });
    return { chains: await Promise.all(ofChains), dapps: await Promise.all(dapps) };
  };

  let kept: { readonly until: number; readonly answer: Promise<Exposure> } | undefined;
  return {
    'exposure.get': () => {
      if (kept === undefined || clock.monotonic() >= kept.until) {
        const entry = { until: clock.monotonic() + KEPT_MS, answer: measure() };
        kept = entry;
        entry.answer.catch(() => {
          if (kept === entry) kept = undefined;
        });
      }
      return kept.answer;
    },
  };
};
