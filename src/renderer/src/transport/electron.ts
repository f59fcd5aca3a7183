import type { ConsoleBridge } from '../../../shared/console-bridge.ts';
import type { ProcedureInput, ProcedureName, ProcedureOutput } from '../../../api/index.ts';
import { type Transport, outputOf } from './transport.ts';

/** Polls for pages of the feed. */
export const electronTransport = (bridge: ConsoleBridge): Transport => {
  const call = async <Name extends ProcedureName>(
    name: Name,
    input: ProcedureInput<Name>,
  ): Promise<ProcedureOutput<Name>> => outputOf<Name>(await bridge.call(name, input));
  return {
    call,
    async feed({ after, signal, onPage }) {
      let seen = after;
      // The first request does not wait, so that the page soon knows that it is connected.
      for (let wait = false; ; wait = true) {
        const page = await call('decisions.follow', { ...(seen !== undefined && { after: seen }), wait });
        signal.throwIfAborted();
        onPage(page);
        seen = page.upTo;
      }
    },
    copy: (text) => bridge.copy(text),
    // The page passes on only the filter: the application makes the report itself.
    print: (filter) => bridge.print(filter),
  };
};
