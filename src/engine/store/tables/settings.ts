import type { Access } from '../rows.ts';
import { accountStore } from './accounts.ts';
import { chainFeeStore } from './chain-fees.ts';
import { chainStore } from './chains.ts';
import { feeTokenStore } from './fee-tokens.ts';
import { notificationStore } from './notifications.ts';
import { operatorTransactionStore } from './operator-transactions.ts';
import { pauseStore } from './pause.ts';

/** Tables of the settings, on either database. */
export const settingsStore = (access: Access) => ({
  ...accountStore(access),
  ...pauseStore(access),
  ...chainStore(access),
  ...chainFeeStore(access),
  ...feeTokenStore(access),
  ...operatorTransactionStore(access),
  ...notificationStore(access),
});
