import { type ProcedureArguments, type ProcedureOutput, procedures } from '../../api/index.ts';
import type { Handlers, NamesOf } from './service.ts';

/**
 * Handlers of a resource that few operators use. They are loaded at the first call, so that they do not slow down every
 * start.
 */
export const later = <Resource extends string>(
  resource: Resource,
  load: () => Promise<Handlers<NamesOf<Resource>>>,
): Handlers<NamesOf<Resource>> => {
  let loading: ReturnType<typeof load> | undefined;
  const call =
    <Name extends NamesOf<Resource>>(name: Name) =>
    async (args: ProcedureArguments<Name>): Promise<ProcedureOutput<Name>> => {
      loading ??= load();
      return (await loading)[name](args);
    };
  const names = Object.keys(procedures).filter((name) => name.startsWith(`${resource}.`)) as NamesOf<Resource>[];
  return Object.fromEntries(names.map((name) => [name, call(name)])) as unknown as Handlers<NamesOf<Resource>>;
};
