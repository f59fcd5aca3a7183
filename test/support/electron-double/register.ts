import { registerHooks } from 'node:module';
import { runInThisContext } from 'node:vm';

/** Loaded before a built main bundle (`node --import`): gives it the double as `electron`. */
const url = new URL('./electron.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url, shortCircuit: true } : next(specifier, context),
});

/** A function that the test runs in this process, as text. */
export interface Evaluation {
  readonly id: number;
  readonly source: string;
  readonly arg: unknown;
}

export type EvaluatedModule =
  { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: string };

const evaluate = async ({ id, source, arg }: Evaluation): Promise<EvaluatedModule> => {
  try {
    const run = runInThisContext(`(${source})`) as (electron: unknown, arg: unknown) => unknown;
    return { id, value: await run(await import(url), arg) };
  } catch (error) {
    return { id, error: String(error) };
  }
};

process.on('message', (message) => {
  void evaluate(message as Evaluation).then((evaluated) => process.send?.(evaluated));
});
// The test has ended, so this process ends too.
process.on('disconnect', () => process.exit(1));
