import { version } from '../base/version.ts';
import { pausedFor } from '../sponsorship/pause-switch.ts';
import { examine } from './doctor/doctor.ts';
import { logLines } from './log-lines.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

export const systemHandlers = (context: ServiceContext): Handlers<NamesOf<'system'>> => {
  const { store, vault, clock, pause, log, address } = context;
  return {
    'system.info': async () => {
      const dapps = await store.listDapps();
      return {
        version,
        url: address(),
        vault: vault.state,
        paymasters: dapps.length,
        decisions: await store.countDecisions(),
        paused: pause.current(),
        now: clock.now(),
        pausedDapps: dapps.flatMap(({ paymasterId, name }) => {
          const own = pause.ofDapp(paymasterId);
          return own === null ? [] : [{ paymasterId, name, ...own }];
        }),
      };
    },
    'system.pause': async ({ reason }) => {
      const paused = pausedFor(pause.current(), reason, clock.now());
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
