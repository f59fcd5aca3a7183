import type { ReviewInfo } from '../../shared/contract/system.ts';
import {
  type ProcedureArguments,
  type ProcedureName,
  type ProcedureOutput,
  contract,
} from '../../shared/contract/index.ts';
import { EngineError } from '../../shared/errors.ts';
import { parse } from '../../shared/schema/parse.ts';
import { Secret } from '../secret.ts';
import type { ConsoleService } from '../service/index.ts';
import type { Handlers } from '../service/service.ts';
import { version } from '../version.ts';

/** What may be asked of a review before it is open. */
type Asked = 'chains.list' | 'decisions.list' | 'decisions.next' | 'paymasters.list' | 'system.info' | 'vault.open';

/** What is asked for has been read by its procedure's schema. */
type Run = (args: unknown) => Promise<unknown>;

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
  const handlers: Handlers<Asked> = {
    'chains.list': async () => [],
    // Where a console begins to follow the decisions; in a review none come.
    'decisions.list': async () => [],
    'decisions.next': async () => ({ decisions: [], upTo: 0, more: false }),
    'paymasters.list': async () => [],
    'system.info': async () => ({
      ...{ version, url: address(), vault: 'locked', paymasters: 0, decisions: 0, paused: null },
      review: { ...about, from: about.savedAt, to: about.savedAt },
    }),
    async 'vault.open'({ passphrase }) {
      // One after the other: whoever comes second finds it open.
      const mine = opening.catch(() => undefined).then(async () => (opened ??= await open(new Secret(passphrase))));
      opening = mine;
      await mine;
      return { vault: 'unlocked' };
    },
  };
  const asked = new Map<string, Run>(Object.entries(handlers) as [string, Run][]);
  const run = async <Name extends ProcedureName>(
    name: Name,
    args: ProcedureArguments<Name>,
  ): Promise<ProcedureOutput<Name>> => {
    if (opened !== undefined) return opened.run(name, args);
    const handler = asked.get(name);
    if (handler === undefined) throw new EngineError('VAULT_LOCKED', 'The backup is opened by its passphrase first');
    return (await handler(args)) as ProcedureOutput<Name>;
  };
  return {
    run,
    call: async (name, input) => run(name, parse(contract[name].input, input) as ProcedureArguments<typeof name>),
    // Nothing is decided in a review.
    subscribe() {
      let end = (): void => undefined;
      const ended = new Promise<void>((resolve) => (end = resolve));
      return { cancel: () => end(), ended };
    },
  };
};
