import type { ConsoleBridge } from '../../../shared/console-bridge.ts';
import type { ProcedureInput, ProcedureName, ProcedureOutput } from '../../../api/index.ts';
import { type Transport, outputOf } from './transport.ts';

/** Procedures through the bridge of the desktop window; the feed by asking for the next page, again and again. */
export const electronTransport = (bridge: ConsoleBridge): Transport => {
  const call = async <Name extends ProcedureName>(
    name: Name,
    input: ProcedureInput<Name>,
  ): Promise<ProcedureOutput<Name>> => outputOf<Name>(await bridge.call(name, input));
  return {
    call,
    async feed({ after, signal, onPage }) {
      let seen = after;
      // The first question waits for nothing, so that the page soon knows that it is connected.
      for (let wait = false; ; wait = true) {
        const page = await call('decisions.follow', { ...(seen !== undefined && { after: seen }), wait });
        signal.throwIfAborted();
        onPage(page);
        seen = page.upTo;
      }
    },
    copy: (text) => bridge.copy(text),
    // The window hands no page to the system: the application makes it from the filter.
    print: (filter) => bridge.print(filter),
  };
};
