import type { ProcedureInput } from '../../../../api/index.ts';
import type { Transport } from '../../transport/transport.ts';

/** A change to a policy, as the procedure call that makes it. It can be tried before it is made. */
export type PolicyChange = ProcedureInput<'policies.try'>['change'];

/** Makes a change, with the same call that was tried. */
export const makeChange = (transport: Transport, { name, input }: PolicyChange): Promise<unknown> =>
  (transport.call as (procedure: string, input: unknown) => Promise<unknown>)(name, input);
