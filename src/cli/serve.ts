import { join } from 'node:path';
import { loadConfig } from '../engine/config/config.ts';
import { dataFiles } from '../engine/data-folder/data-folder.ts';
import { portHolder } from '../engine/http/port-holder.ts';
import { EngineError } from '../shared/errors.ts';
import { NO_OPEN, serveUntil, stopRequested, unlessStopped } from './stop-requested.ts';
import { command, wholeNumber } from './command.ts';
import { type DeskOptions, dataPath, openEngine, requirePassphrase } from './desk.ts';
import { terminal } from './terminal.ts';
import { targetArgument } from './words.ts';

interface ServeFlags {
  host?: string;
  port?: number;
  standby?: string;
  open: boolean;
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

/** Restores the copy in `target` once its desk is gone. False if the process is asked to stop before. */
const takeOver = async (target: string, options: DeskOptions, stop: AbortSignal): Promise<boolean> => {
  const passphrase = requirePassphrase(options, 'the vault');
  const { placeOf } = await import('../engine/continuous-backup/open-target.ts');
  const { restoreAsStandby } = await import('../engine/backup/restore-as-standby.ts');
  const config = loadConfig({ env: terminal().env, file: join(dataPath(options), dataFiles.config) });
  const place = placeOf(target, config);
  return restoreAsStandby({ place, passphrase, dir: dataPath(options), signal: stop });
};

/** `gasdesk serve`. Prints one line when it is listening, and runs until it is asked to stop. */
export const serveCommand = command('serve', 'Run the service without a window')
  .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
  .option('--port <port>', 'port to listen on, 0 for any free port (default: 8645)', wholeNumber(0, 65_535))
  .option(
    '--standby <target>',
    'wait until the service that copies to this folder or s3://BUCKET/PREFIX is gone, then restore its copy and take over',
    targetArgument,
  )
  .option(...NO_OPEN)
  .action(async ({ host, port, standby, open, ...options }: DeskOptions & ServeFlags) => {
    const stopping = new AbortController();
    const stopped = stopRequested().then(() => stopping.abort());
    const { signal } = stopping;
    const isOurs = standby === undefined || (await unlessStopped(signal, () => takeOver(standby, options, signal)));
    if (isOurs !== true) return;
    const flags = {
      ...(host !== undefined && { host }),
      ...(port !== undefined && { port }),
      ...(standby !== undefined && { continuousBackup: standby, continuousBackupWait: true }),
    };
    const engine = await unlessStopped(signal, () => openEngine(options, flags, 'refuse', signal));
    if (engine === undefined) return;
    await serveUntil(stopped, engine, () => unlessStopped(signal, () => engine.serve().catch(explainTaken)), open);
  });
