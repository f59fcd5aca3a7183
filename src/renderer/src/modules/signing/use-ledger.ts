import { type Ref, onMounted, onUnmounted, ref, shallowRef } from 'vue';
import { LedgerError } from './ledger-error.ts';
import type { Ledger, LedgerPrompt } from './ledger.ts';

/** The manufacturer's kit is large, so it is loaded on demand. */
const load = () => import('./ledger.ts');

/** Loads the kit in advance, because browsers allow the device dialog only shortly after a click. */
const prepareLedger = (): void => void load().catch(() => undefined);

/** {@link connectLedger}, with the kit loaded on demand. @throws LedgerError */
const openLedger = async (showPrompt: (prompt: LedgerPrompt | undefined) => void): Promise<Ledger> => {
  const { connectLedger } = await load().catch((error: unknown) => {
    throw new LedgerError('other', 'The part of the console for Ledgers did not load. Load the page again.', error);
  });
  return connectLedger(showPrompt);
};

export interface UsedLedger {
  /** Undefined if no Ledger is connected. */
  readonly ledger: Readonly<Ref<Ledger | undefined>>;
  readonly prompt: Readonly<Ref<LedgerPrompt | undefined>>;
  readonly isBusy: Readonly<Ref<boolean>>;
  readonly error: Readonly<Ref<LedgerError | undefined>>;
  /** Connects a Ledger, and passes it to `then`. Must be called in response to a click. */
  readonly connect: (then: (ledger: Ledger) => Promise<void>) => Promise<void>;
  /** Runs one action at a time on the connected Ledger. */
  readonly run: (act: (ledger: Ledger) => Promise<void>) => Promise<void>;
}

/** Keeps a Ledger connected while the component is mounted. After it has been unplugged, it must be connected again. */
export const useLedger = (): UsedLedger => {
  const ledger = shallowRef<Ledger>();
  const prompt = ref<LedgerPrompt>();
  const error = shallowRef<LedgerError>();
  const isBusy = ref(false);
  let isUnmounted = false;

  const close = (): void => {
    void ledger.value?.close();
    ledger.value = undefined;
  };
  const attempt = async (act: () => Promise<void>): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    error.value = undefined;
    try {
      await act();
    } catch (cause) {
      if (!(cause instanceof LedgerError)) throw cause;
      error.value = cause;
      if (cause.code === 'disconnected') close();
    } finally {
      isBusy.value = false;
    }
  };

  onMounted(prepareLedger);
  onUnmounted(() => {
    isUnmounted = true;
    close();
  });
  return {
    ledger,
    prompt,
    isBusy,
    error,
    connect: (then) =>
      attempt(async () => {
        close();
        const opened = await openLedger((next) => (prompt.value = next));
        if (isUnmounted) return opened.close();
        ledger.value = opened;
        await then(opened);
      }),
    run: (act) =>
      attempt(async () => {
        if (ledger.value !== undefined) await act(ledger.value);
      }),
  };
};
