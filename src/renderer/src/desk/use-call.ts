import type { ProcedureInput, ProcedureName, ProcedureOutput } from '../../../api/index.ts';
import { useTransport } from '../transport/transport.ts';
import { type Loaded, type QuietReload, useLoaded } from './use-loaded.ts';

/**
 * The answer of a procedure. It is read again whenever the input changes. With an undefined input, nothing is
 * requested.
 */
export const useCall = <Name extends ProcedureName>(
  name: Name,
  input: () => ProcedureInput<Name> | undefined,
  rereading?: QuietReload,
): Loaded<ProcedureOutput<Name>> => {
  const transport = useTransport();
  return useLoaded(
    () => JSON.stringify(input()),
    () => {
      const query = input();
      return query === undefined ? undefined : transport.call(name, query);
    },
    rereading,
  );
};
