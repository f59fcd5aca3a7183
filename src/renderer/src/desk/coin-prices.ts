import { defineStore } from 'pinia';
import { computed } from 'vue';
import type { ProcedureOutput } from '../../../api/index.ts';
import { useTransport } from '../transport/transport.ts';
import { useDesk } from './desk-store.ts';
import { useLoaded } from './use-loaded.ts';

export type CoinPrice = ProcedureOutput<'chains.coinPrice'>;

export const noPriceSentence = (error: string, coin: string): string => `${coin} has no usable price: ${error}.`;

const MINUTE_MS = 60_000;

/** Prices of native coins on the chains that have a price source. They are read every minute. */
export const useCoinPrices = defineStore('coinPrices', () => {
  const desk = useDesk();
  const transport = useTransport();
  /** A review has no current prices. */
  const sources = computed(() =>
    desk.info === undefined || desk.info.review
      ? []
      : desk.chainList.flatMap(({ chainId, price }) => (price === null ? [] : [{ chainId, price }])),
  );
  const { data } = useLoaded(
    () => JSON.stringify(sources.value),
    () =>
      Promise.all(
        sources.value.map(
          async (source) => [source.chainId, await transport.call('chains.coinPrice', source)] as const,
        ),
      ),
    { quietly: () => Math.floor(desk.now / MINUTE_MS) },
  );
  const prices = computed(() => new Map<number, CoinPrice>(data.value));

  /** Undefined without a source, and until the price is read. */
  const priceOf = (chainId: number): CoinPrice | undefined => prices.value.get(chainId);
  /** US dollars per coin, decimal; empty if unknown. */
  const usd = (chainId: number): string => priceOf(chainId)?.usd ?? '';
  const usdOf = (paymasterId: string): string =>
    usd(desk.dapps.find((dapp) => dapp.paymasterId === paymasterId)?.chainId ?? 0);
  return { priceOf, usd, usdOf };
});
