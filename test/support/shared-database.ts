import type { CommittedPart, DeskDatabase } from '../../src/engine/store/database.ts';
import type { Store } from '../../src/engine/store/store.ts';
import { sharedVault } from './shared-vault.ts';

/** Store operations that notify other engines, by the part that they change. */
const PARTS: readonly (readonly [CommittedPart, readonly (keyof Store)[]])[] = [
  ['decisions', ['decideAndReserve', 'appendDecision', 'applySettlements', 'endReservations']],
  ['settings', ['savePause', 'saveDappPause', 'raiseNotification', 'endNotification']],
];

/**
 * Lets engines of this process share one store and one vault, like engines on one database server: they notify each
 * other of commits, and one at a time is the leader.
 */
export const shareDatabase = (store: Store) => {
  const viewOfVault = sharedVault();
  const members: { readonly hear: (part: CommittedPart) => void }[] = [];
  let leader = 0;
  const join = (): DeskDatabase => {
    const number = members.length;
    const listeners = new Set<(part: CommittedPart) => void>();
    const vault = viewOfVault();
    members.push({
      hear(part) {
        if (part === 'vault') vault.read();
        for (const listener of listeners) listener(part);
      },
    });
    const telling =
      <Args extends unknown[], Answer>(part: CommittedPart, act: (...args: Args) => Promise<Answer>) =>
      async (...args: Args): Promise<Answer> => {
        const answer = await act(...args);
        for (const [index, { hear }] of members.entries()) if (index !== number) hear(part);
        return answer;
      };
    const operations = store as unknown as Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>;
    const told = PARTS.flatMap(([part, names]) =>
      names.map((name) => [name, telling(part, async (...args) => operations[name]?.(...args))]),
    );
    return {
      store: { ...store, ...(Object.fromEntries(told) as Partial<Store>), close: async () => undefined },
      engines: {
        isLeader: () => leader === number,
        onOthers(listener) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
      vault: {
        ...vault,
        update: telling('vault', (change: Parameters<typeof vault.update>[0]) => vault.update(change)),
      },
    };
  };
  return {
    join,
    /** Makes another engine the leader, by the order in which they joined. */
    lead(next: number): void {
      leader = next;
      members[next]?.hear('decisions');
    },
  };
};
