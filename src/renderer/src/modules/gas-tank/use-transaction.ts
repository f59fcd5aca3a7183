import { type ComputedRef, type Ref, computed } from 'vue';
import { useDesk } from '../../desk/desk-store.ts';
import { useLoaded } from '../../desk/use-loaded.ts';
import { useTransport } from '../../transport/transport.ts';
import type { Transaction } from './chain-action.ts';

/** A sent transaction as it is on chain now, read again with every tick of the page; undefined while there is none. */
export const useTransaction = (id: Ref<string | undefined>): ComputedRef<Transaction | undefined> => {
  const desk = useDesk();
  const transport = useTransport();
  const { data } = useLoaded(
    () => id.value,
    () => (id.value === undefined ? undefined : transport.call('transactions.list', {})),
    { quietly: () => desk.now },
  );
  return computed(() => data.value?.find(({ transactionId }) => transactionId === id.value));
};
