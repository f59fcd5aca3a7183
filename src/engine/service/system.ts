import { version } from '../version.ts';
import { examine } from './doctor/doctor.ts';
import { logLines } from './log-lines.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** The service itself: what it is, and whether everything it stands on is sound. */
export const systemHandlers = (context: ServiceContext): Handlers<NamesOf<'system'>> => {
  const { store, vault, clock, pause, log, address } = context;
  return {
    'system.info': async () => ({
      version,
      url: address(),
      vault: vault.state,
      paymasters: (await store.listPaymasters()).length,
      decisions: await store.countDecisions(),
      paused: pause.current(),
    }),
    'system.pause': async ({ reason = '' }) => {
      const before = pause.current();
      const words = reason.trim() === '' ? (before?.reason ?? null) : reason.trim();
      const paused = { since: before?.since ?? clock.now(), reason: words };
      await pause.set(paused);
      return paused;
    },
    'system.resume': async () => {
      await pause.set(null);
      return null;
    },
    'system.doctor': () => examine(context),
    'system.log': async (args) => logLines(log, args),
  };
};
