import type { Access } from '../rows.ts';
import { accountStore } from './accounts.ts';
import { chainFeeStore } from './chain-fees.ts';
import { notificationStore } from './notifications.ts';
import { operatorTransactionStore } from './operator-transactions.ts';

/** Tables of the settings, on either database. */
export const settingsStore = (access: Access) => ({
  ...accountStore(access),
  ...chainFeeStore(access),
  ...operatorTransactionStore(access),
  ...notificationStore(access),
});
