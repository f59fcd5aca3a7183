import type { ConsoleBridge } from '../../../shared/console-bridge.ts';
import type { ProcedureInput, ProcedureName, ProcedureOutput } from '../../../api/index.ts';
import { type Transport, outputOf } from './transport.ts';

/** Calls procedures over IPC, and polls for pages of the feed. */
export const electronTransport = (bridge: ConsoleBridge): Transport => {
  const call = async <Name extends ProcedureName>(
    name: Name,
    input: ProcedureInput<Name>,
  ): Promise<ProcedureOutput<Name>> => outputOf<Name>(await bridge.call(name, input));
  return {
    call,
    async feed({ after, signal, onPage }) {
      let seen = after;
      // The first request does not wait for a decision, so that the page soon knows that it is connected.
      for (let wait = false; ; wait = true) {
        const page = await call('decisions.follow', { ...(seen !== undefined && { after: seen }), wait });
        signal.throwIfAborted();
        onPage(page);
        seen = page.upTo;
      }
    },
    copy: (text) => bridge.copy(text),
    // Passes on only the filter, because the application creates the report itself.
    print: (filter) => bridge.print(filter),
  };
};
