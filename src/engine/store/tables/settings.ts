import type { Access } from '../access.ts';
import { accountStore } from './accounts.ts';
import { apiKeyStore } from './api-keys.ts';
import { chainFeeStore } from './chain-fees.ts';
import { chainStore } from './chains.ts';
import { dappStore } from './dapps.ts';
import { feeTokenStore } from './fee-tokens.ts';
import { notificationStore } from './notifications.ts';
import { operatorTransactionStore } from './operator-transactions.ts';
import { pauseStore } from './pause.ts';
import { policyRevisionStore } from './policy-revisions.ts';
import { policyStore } from './policy.ts';

/** Everything except decisions, the ledger and the log, on either database. */
export const settingsStore = (access: Access) => ({
  ...accountStore(access),
  ...dappStore(access),
  ...apiKeyStore(access),
  ...policyStore(access),
  ...policyRevisionStore(access),
  ...pauseStore(access),
  ...chainStore(access),
  ...chainFeeStore(access),
  ...feeTokenStore(access),
  ...operatorTransactionStore(access),
  ...notificationStore(access),
});
