import { systemEntropy } from '../engine/base/clock.ts';
import { loadConfig } from '../engine/config/config.ts';
import type { DataFolder } from '../engine/data-folder/data-folder.ts';
import { type Engine, createEngine } from '../engine/index.ts';
import { type Log, createLog } from '../engine/base/log.ts';
import { Secret } from '../engine/base/secret.ts';

export interface Desk {
  readonly engine: Engine;
  readonly log: Log;
}

export interface DeskOptions {
  readonly folder: DataFolder;
  readonly env: NodeJS.ProcessEnv;
  /** Folder of the built console, which the engine also serves to browsers. */
  readonly consoleFolder: string;
  /** Overrides the port in the settings. */
  readonly port?: number | undefined;
  /** The key from the system's keychain. It opens the vault if the environment contains no passphrase. */
  readonly vaultKey?: Secret<Uint8Array> | undefined;
}

/**
 * Starts the engine on the folder, and serves requests. Without a key and without `GASDESK_PASSPHRASE`, the vault stays
 * locked.
 *
 * @throws EngineError with the reason; the folder is then unlocked
 */
export const startDesk = async ({ folder, env, consoleFolder, port, vaultKey }: DeskOptions): Promise<Desk> => {
  const configSources = { env, ...(port !== undefined && { flags: { port } }) };
  const config = loadConfig({ ...configSources, file: folder.config });
  const log = createLog({ level: config.logLevel });
  const passphrase = env['GASDESK_PASSPHRASE'] ? new Secret(env['GASDESK_PASSPHRASE']) : undefined;
  const engine = await createEngine({
    folder,
    config,
    configSources,
    log,
    consoleFolder,
    passphrase,
    vaultKey,
    entropy: systemEntropy,
  });
  try {
    const { hostname, port: bound } = new URL(await engine.serve());
    log.info('desk.listening', { host: hostname, port: Number(bound) });
  } catch (error) {
    await engine.stop();
    throw error;
  }
  return { engine, log };
};
