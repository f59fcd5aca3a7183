import { type Ref, onMounted, onUnmounted, ref, shallowRef } from 'vue';
import { LedgerFault } from './ledger-fault.ts';
import type { Ledger, LedgerPrompt } from './ledger.ts';

/** The maker's kit is large, so it comes when it is needed. */
const load = () => import('./ledger.ts');

/** Fetches the kit beforehand: a browser asks for a device only shortly after a click. */
const prepareLedger = (): void => void load().catch(() => undefined);

/** {@link connectLedger} without its kit in the first load. @throws LedgerFault */
const openLedger = async (ask: (prompt: LedgerPrompt | undefined) => void): Promise<Ledger> => {
  const { connectLedger } = await load().catch((error: unknown) => {
    throw new LedgerFault('other', 'The part of the console for Ledgers did not load. Load the page again.', error);
  });
  return connectLedger(ask);
};

/** A Ledger on its way through the steps of a page. */
export interface UsedLedger {
  /** Undefined while none is connected. */
  readonly ledger: Readonly<Ref<Ledger | undefined>>;
  /** What it waits for. */
  readonly prompt: Readonly<Ref<LedgerPrompt | undefined>>;
  readonly isBusy: Readonly<Ref<boolean>>;
  /** Why the last step came to nothing. */
  readonly fault: Readonly<Ref<LedgerFault | undefined>>;
  /** Connects one and goes on with it. Called from a click. */
  readonly connect: (then: (ledger: Ledger) => Promise<void>) => Promise<void>;
  /** Does something with the connected one, one thing at a time. */
  readonly run: (act: (ledger: Ledger) => Promise<void>) => Promise<void>;
}

/** Connects a Ledger for as long as the component is shown. After it was unplugged it has to be connected again. */
export const useLedger = (): UsedLedger => {
  const ledger = shallowRef<Ledger>();
  const prompt = ref<LedgerPrompt>();
  const fault = shallowRef<LedgerFault>();
  const isBusy = ref(false);
  let isGone = false;

  const close = (): void => {
    void ledger.value?.close();
    ledger.value = undefined;
  };
  const attempt = async (act: () => Promise<void>): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    fault.value = undefined;
    try {
      await act();
    } catch (error) {
      if (!(error instanceof LedgerFault)) throw error;
      fault.value = error;
      if (error.code === 'disconnected') close();
    } finally {
      isBusy.value = false;
    }
  };

  onMounted(prepareLedger);
  onUnmounted(() => {
    isGone = true;
    close();
  });
  return {
    ...{ ledger, prompt, isBusy, fault },
    connect: (then) =>
      attempt(async () => {
        close();
        const opened = await openLedger((asked) => (prompt.value = asked));
        if (isGone) return opened.close();
        ledger.value = opened;
        await then(opened);
      }),
    run: (act) =>
      attempt(async () => {
        if (ledger.value !== undefined) await act(ledger.value);
      }),
  };
};
