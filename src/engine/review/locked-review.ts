import type { ReviewInfo } from '../../api/system.ts';
import { EngineError } from '../../shared/errors.ts';
import { Secret } from '../base/secret.ts';
import type { ConsoleService } from '../service/index.ts';
import type { Handlers } from '../service/service.ts';
import { version } from '../base/version.ts';
import { someProcedures } from './some-procedures.ts';

type LockedProcedure =
  'chains.list' | 'decisions.follow' | 'decisions.list' | 'paymasters.list' | 'system.info' | 'vault.open';

const NOTHING = { rows: [], upTo: 0, more: false };

/**
 * A review of a file that needs a passphrase. Until `vault.open` is called with it, this service only reports that it
 * is locked. Afterwards, it is the review that `open` returns.
 *
 * @param about information on the file; `from` and `to` are not known yet
 */
export const createLockedReview = (
  about: Pick<ReviewInfo, 'file' | 'savedAt'>,
  open: (passphrase: Secret<string>) => Promise<ConsoleService>,
  address: () => string | null,
): ConsoleService => {
  let opened: ConsoleService | undefined;
  let opening: Promise<unknown> = Promise.resolve();
  let unlock = (): void => undefined;
  const unlocked = new Promise<void>((resolve) => (unlock = resolve));
  const handlers: Handlers<LockedProcedure> = {
    'chains.list': async () => [],
    // A review makes no decisions. A page that waits for a new decision gets its answer when the review is unlocked.
    'decisions.follow': async ({ wait }) => {
      if (wait) await unlocked;
      return NOTHING;
    },
    'decisions.list': async () => [],
    'paymasters.list': async () => [],
    'system.info': async () => ({
      version,
      url: address(),
      vault: 'locked',
      paymasters: 0,
      decisions: 0,
      paused: null,
      pausedDapps: [],
      review: { ...about, from: about.savedAt, to: about.savedAt },
    }),
    async 'vault.open'({ passphrase }) {
      // Only one call runs at a time, so a second call finds the review already open.
      const mine = opening.catch(() => undefined).then(async () => (opened ??= await open(new Secret(passphrase))));
      opening = mine;
      await mine;
      unlock();
      return { vault: 'unlocked' };
    },
  };
  const lockedProcedures = someProcedures(
    handlers,
    () => new EngineError('VAULT_LOCKED', 'Open the backup with its passphrase first'),
  );
  return {
    run: (name, args) => (opened ?? lockedProcedures).run(name, args),
    call: (name, input) => (opened ?? lockedProcedures).call(name, input),
    follow(_after, listener) {
      let cancel = (): void => undefined;
      const cancelled = new Promise<void>((resolve) => (cancel = resolve));
      const send = async (): Promise<void> => {
        await listener(NOTHING);
        await cancelled;
      };
      return { ended: send(), cancel: () => cancel() };
    },
  };
};
