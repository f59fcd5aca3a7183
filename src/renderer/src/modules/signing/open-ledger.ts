import { LedgerFault } from './ledger-fault.ts';
import type { Ledger, LedgerPrompt } from './ledger.ts';

/** The maker's kit is large, so it comes when it is needed. */
const load = () => import('./ledger.ts');

/** Fetches the kit beforehand: a browser asks for a device only shortly after a click. */
export const prepareLedger = (): void => void load().catch(() => undefined);

/** {@link connectLedger} without its kit in the first load. @throws LedgerFault */
export const openLedger = async (ask: (prompt: LedgerPrompt | undefined) => void): Promise<Ledger> => {
  const { connectLedger } = await load().catch((error: unknown) => {
    throw new LedgerFault('other', 'The part of the console for Ledgers did not load. Load the page again.', error);
  });
  return connectLedger(ask);
};
