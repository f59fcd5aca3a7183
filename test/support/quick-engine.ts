import { loadConfig } from '../../src/engine/config/config.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { type Engine, createEngine } from '../../src/engine/index.ts';
import type { EngineOptions } from '../../src/engine/service/engine-options.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { Secret } from '../../src/engine/base/secret.ts';

/** The passphrase of the vaults that {@link quickEngine} makes. */
export const PASSPHRASE = 'correct horse battery staple';

/** An engine with an open vault on a folder. The vault's key is cheap to derive, now and when opened later. */
export const quickEngine = (dir: string, others: Partial<EngineOptions> = {}): Promise<Engine> =>
  createEngine({
    folder: openDataFolder(dir),
    config: loadConfig({ flags: { port: 0 } }),
    log: createLog({ level: 'silent' }),
    passphrase: new Secret(PASSPHRASE),
    scrypt: { N: 1024, r: 8, p: 1 },
    ...others,
  });
