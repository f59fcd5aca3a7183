import type { ReviewInfo } from '../../api/system.ts';
import { EngineError } from '../../shared/errors.ts';
import { Secret } from '../base/secret.ts';
import type { ConsoleService } from '../service/index.ts';
import type { Handlers } from '../service/service.ts';
import { version } from '../base/version.ts';
import { someProcedures } from './some-procedures.ts';

/** What may be asked of a review before it is open. */
type Asked = 'chains.list' | 'decisions.follow' | 'decisions.list' | 'paymasters.list' | 'system.info' | 'vault.open';

/** What a feed tells that has nothing. */
const NOTHING = { rows: [], upTo: 0, more: false };

/**
 * A review of a file that a passphrase opens. Until `vault.open` brings it, the review says no more than that it is
 * locked; afterwards it is the review that `open` answers.
 *
 * @param about `from` and `to` are not known yet
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
  const handlers: Handlers<Asked> = {
    'chains.list': async () => [],
    // Nothing is decided in a review: a page that waits for it hears when the review is open.
    'decisions.follow': async ({ wait }) => {
      if (wait) await unlocked;
      return NOTHING;
    },
    'decisions.list': async () => [],
    'paymasters.list': async () => [],
    'system.info': async () => ({
      ...{ version, url: address(), vault: 'locked', paymasters: 0, decisions: 0, paused: null, pausedDapps: [] },
      review: { ...about, from: about.savedAt, to: about.savedAt },
    }),
    async 'vault.open'({ passphrase }) {
      // One after the other: the second finds it open.
      const mine = opening.catch(() => undefined).then(async () => (opened ??= await open(new Secret(passphrase))));
      opening = mine;
      await mine;
      unlock();
      return { vault: 'unlocked' };
    },
  };
  const asked = someProcedures(
    handlers,
    () => new EngineError('VAULT_LOCKED', 'Open the backup with its passphrase first'),
  );
  return {
    run: (name, args) => (opened ?? asked).run(name, args),
    call: (name, input) => (opened ?? asked).call(name, input),
    follow(_after, listener) {
      let cancel = (): void => undefined;
      const cancelled = new Promise<void>((resolve) => (cancel = resolve));
      const tell = async (): Promise<void> => {
        await listener(NOTHING);
        await cancelled;
      };
      return { ended: tell(), cancel: () => cancel() };
    },
  };
};
