import type { Dapp } from '../store/registry-store.ts';
import type { EventScope } from '../store/event-store.ts';
import type { Condition } from '../store/notification-store.ts';

/** Whether a notification concerns the whole desk, the DApps of an account, or one DApp, given all DApps of the desk. */
export const concerns = (
  { kind, subject }: Condition,
  { accountId, paymasterId }: EventScope,
  dapps: readonly Pick<Dapp, 'accountId' | 'paymasterId' | 'chainId'>[],
): boolean => {
  if (accountId === null && paymasterId === null) return true;
  const own = dapps.filter((dapp) =>
    paymasterId === null ? dapp.accountId === accountId : dapp.paymasterId === paymasterId,
  );
  switch (kind) {
    case 'node':
      return own.some(({ chainId }) => String(chainId) === subject);
    case 'breaker':
    case 'paused':
      return subject === '' || own.some((dapp) => dapp.paymasterId === subject);
    case 'tankLow':
    case 'tankEmpty':
    case 'denials':
    case 'webhook':
      return own.some((dapp) => dapp.paymasterId === subject);
    case 'reputation':
    case 'backup':
    case 'eventWebhook':
      return false;
  }
};
