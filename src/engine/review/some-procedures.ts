import { type ProcedureArguments, type ProcedureName, type ProcedureOutput, procedures } from '../../api/index.ts';
import type { EngineError } from '../../shared/errors.ts';
import { parse } from '../../shared/schema/parse.ts';
import type { ConsoleService } from '../service/index.ts';
import type { Handlers } from '../service/service.ts';

type Run = (args: unknown) => Promise<unknown>;

/** A service with only these procedures. Refuses others before it reads their input. */
export const someProcedures = <Name extends ProcedureName>(
  handlers: Handlers<Name>,
  refusal: () => EngineError,
): Pick<ConsoleService, 'run' | 'call'> => {
  const known = new Map<string, Run>(Object.entries(handlers) as [string, Run][]);
  const handlerOf = (name: string): Run => {
    const handler = known.get(name);
    if (handler === undefined) throw refusal();
    return handler;
  };
  const run = async <One extends ProcedureName>(
    name: One,
    args: ProcedureArguments<One>,
  ): Promise<ProcedureOutput<One>> => (await handlerOf(name)(args)) as ProcedureOutput<One>;
  return {
    run,
    async call(name, input) {
      handlerOf(name);
      return run(name, parse(procedures[name].input, input) as ProcedureArguments<typeof name>);
    },
  };
};
