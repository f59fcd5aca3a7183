import { systemEntropy } from '../engine/clock.ts';
import { loadConfig } from '../engine/config.ts';
import type { DataFolder } from '../engine/data-folder/data-folder.ts';
import { type Engine, createEngine } from '../engine/index.ts';
import { type Log, createLog } from '../engine/log.ts';
import { Secret } from '../engine/secret.ts';

/** The engine that serves, and its log. */
export interface Desk {
  readonly engine: Engine;
  readonly log: Log;
}

/**
 * Starts the engine on the folder and serves it. Without `GASDESK_PASSPHRASE` the vault stays locked.
 *
 * @throws EngineError that says why it cannot run; the folder is free then
 */
export const startDesk = async (folder: DataFolder, env: NodeJS.ProcessEnv): Promise<Desk> => {
  const config = loadConfig({ env, file: folder.config });
  const log = createLog({ level: config.logLevel });
  const passphrase = env['GASDESK_PASSPHRASE'] ? new Secret(env['GASDESK_PASSPHRASE']) : undefined;
  const engine = await createEngine({
    ...{ folder, config, configSources: { env }, log, passphrase },
    entropy: systemEntropy,
  });
  try {
    const { hostname, port } = new URL(await engine.serve());
    log.info('desk.listening', { host: hostname, port: Number(port) });
  } catch (error) {
    await engine.stop();
    throw error;
  }
  return { engine, log };
};
