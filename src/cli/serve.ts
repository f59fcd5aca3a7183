import { portHolder } from '../engine/http/port-holder.ts';
import { EngineError } from '../shared/errors.ts';
import { stopRequested, serveUntil } from './stop-requested.ts';
import { command, wholeNumber } from './command.ts';
import { type DeskOptions, openEngine } from './desk.ts';

interface ServeFlags {
  host?: string;
  port?: number;
}

/** Adds to the error which process uses the port, and what to do about it. */
const explainTaken = async (error: unknown): Promise<never> => {
  const isTaken = error instanceof EngineError && error.code === 'ADDRESS_IN_USE' && 'port' in error.data;
  if (!isTaken) throw error;
  const { host, port } = error.data;
  const holder = await portHolder(`${String(host)}:${String(port)}`);
  const fix =
    'Stop it, or choose another port with --port N (0: any free port), GASDESK_PORT, or "port" in gasdesk.json';
  throw new EngineError(
    error.code,
    `Port ${String(port)} on ${String(host)} is taken by ${holder}. ${fix}`,
    error.data,
  );
};

/** `gasdesk serve`. Prints one line when it is listening, and runs until it is asked to stop. */
export const serveCommand = command('serve', 'Run the service without a window')
  .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
  .option('--port <port>', 'port to listen on, 0 for any free port (default: 8645)', wholeNumber(0, 65_535))
  .action(async ({ host, port, ...options }: DeskOptions & ServeFlags) => {
    const stopped = stopRequested();
    const engine = await openEngine(options, {
      ...(host !== undefined && { host }),
      ...(port !== undefined && { port }),
    });
    await serveUntil(stopped, engine, () => engine.serve().catch(explainTaken));
  });
