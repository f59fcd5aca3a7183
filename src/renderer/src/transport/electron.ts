import type { ConsoleBridge } from '../../../shared/console-bridge.ts';
import type { ProcedureName, ProcedureOutput } from '../../../shared/contract/index.ts';
import { EngineError } from '../../../shared/errors.ts';
import type { Transport } from './transport.ts';

/** Procedures through the bridge of the desktop window. */
export const electronTransport = (bridge: ConsoleBridge): Transport => ({
  async call<Name extends ProcedureName>(name: Name, input: unknown) {
    const answer = await bridge.call(name, input);
    if (!answer.ok) throw new EngineError(answer.code, answer.message, answer.data);
    return answer.output as ProcedureOutput<Name>;
  },
  copy: (text) => bridge.copy(text),
});
