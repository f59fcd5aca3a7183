import type { ConsoleBridge } from '../../../shared/console-bridge.ts';
import type { ProcedureInput, ProcedureName, ProcedureOutput } from '../../../shared/contract/index.ts';
import { outputOf } from './answer.ts';
import type { Transport } from './transport.ts';

/** Procedures through the bridge of the desktop window; decisions by asking for the next ones, again and again. */
export const electronTransport = (bridge: ConsoleBridge): Transport => {
  const call = async <Name extends ProcedureName>(
    name: Name,
    input: ProcedureInput<Name>,
  ): Promise<ProcedureOutput<Name>> => outputOf<Name>(await bridge.call(name, input));
  return {
    call,
    async decisions({ after, signal, onConnected, onDecision, onPosition }) {
      let seen = after;
      // The first question waits for nothing, so that the page soon knows that it is connected.
      for (let name: 'decisions.page' | 'decisions.next' = 'decisions.page'; ; name = 'decisions.next') {
        const { decisions, upTo } = await call(name, { after: seen });
        signal.throwIfAborted();
        if (name === 'decisions.page') onConnected();
        for (const decision of decisions) onDecision(decision);
        onPosition(upTo);
        seen = upTo;
      }
    },
    copy: (text) => bridge.copy(text),
    // The window hands no page to the system: the application makes it from the filter.
    print: (filter) => bridge.print(filter),
  };
};
