import type { ProcedureInput } from '../../../../api/index.ts';
import { EngineError } from '../../../../shared/errors.ts';
import type { Transport } from '../../transport/transport.ts';

/** A change to a policy, as the procedure call that makes it. It can be tried before it is made. */
export type PolicyChange = ProcedureInput<'policies.try'>['change'];

/** The interface calls a rule "Paymaster policy", which here is that of the whole DApp. */
const inWords = (error: unknown): unknown =>
  error instanceof EngineError && error.code === 'RULE_NAME_EXISTS'
    ? new EngineError(error.code, 'Another rule of this DApp has this name. Choose another.', error.data)
    : error;

/** Makes a change, with the same call that was tried. */
export const makeChange = async (transport: Transport, { name, input }: PolicyChange): Promise<unknown> => {
  try {
    return await (transport.call as (procedure: string, input: unknown) => Promise<unknown>)(name, input);
  } catch (error) {
    throw inWords(error);
  }
};
