import { type OperationCounts, countsAfter } from '../../core/reputation/reputation.ts';
import type { Clock } from '../base/clock.ts';
import type { Store } from '../store/store.ts';
import type { PaymasterContract } from '../store/registry-store.ts';

const HOUR_MS = 3_600_000;
/** Of a count that is older, less than a twentieth is left. */
const HOURS = 72;

/** The DApps whose operations a contract pays for. */
export const dappsOf = async (
  store: Pick<Store, 'listDapps'>,
  { chainId, version }: Pick<PaymasterContract, 'chainId' | 'version'>,
): Promise<string[]> =>
  (await store.listDapps())
    .filter((dapp) => dapp.chainId === chainId && dapp.version === version)
    .map(({ paymasterId }) => paymasterId);

/**
 * What a bundler that has seen all of a contract's signed operations of the last days counts for it, by ERC-7562.
 * Operations that may still be mined do not count.
 */
export const operationCounts = async (
  store: Pick<Store, 'listDapps'> & Pick<Store, 'summarizeDecisions'>,
  clock: Clock,
  contract: Pick<PaymasterContract, 'chainId' | 'version'>,
): Promise<OperationCounts> => {
  const from = clock.now() - HOURS * HOUR_MS;
  const hours: OperationCounts[] = Array.from({ length: HOURS }, () => ({ seen: 0, included: 0 }));
  for (const paymasterId of await dappsOf(store, contract)) {
    const { included } = await store.summarizeDecisions({ paymasterId, from, stepMs: HOUR_MS, steps: HOURS });
    for (const [hour, own] of included.entries()) {
      const { seen, included: mined } = hours[hour] ?? { seen: 0, included: 0 };
      hours[hour] = { seen: seen + own.seen, included: mined + own.included };
    }
  }
  return countsAfter(hours);
};
