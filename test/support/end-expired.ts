import type { Store } from '../../src/engine/store/store.ts';

export interface Expiry {
  readonly chainId: number;
  /** Unix seconds. */
  readonly validUntilBefore: number;
  readonly to: 'released' | 'unconfirmed';
}

/**
 * Ends the reservations of a chain that expired before a time; those that never expire stay. @returns how many ended
 */
export const endExpired = async (
  store: Pick<Store, 'openReservations' | 'endReservations'>,
  { chainId, validUntilBefore, to }: Expiry,
): Promise<number> => {
  const query = { chainId, after: { validUntil: 0, seq: Number.MAX_SAFE_INTEGER }, validUntilBefore, most: 1_000 };
  const expired = await store.openReservations(query);
  const ended = await store.endReservations(
    expired.map(({ seq }) => seq),
    to,
  );
  return ended;
};
