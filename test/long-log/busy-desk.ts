import { join } from 'node:path';
import type { Caller } from '../../src/api/index.ts';
import { controlClient } from '../../src/engine/control/client.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { type ServerProcess, startServer } from '../bench/server-process.ts';

/** A desk in a process of its own, which ends and comes back at the same address. */
export interface BusyDesk {
  readonly url: string;
  readonly call: Caller;
  /** Has it end as the operator ends it, or without warning, and starts it again. */
  restart(how: 'stop' | 'kill'): Promise<void>;
  stop(): Promise<void>;
}

const CLI = join(import.meta.dirname, '../../src/cli/index.ts');
/** Settlement looks often: what is mined is settled while the run lasts. */
const ENVIRONMENT = { GASDESK_PASSPHRASE: 'a long log', GASDESK_SETTLEMENT_POLL_MS: '500', GASDESK_LOG_LEVEL: 'error' };

/** Starts `gasdesk serve` on a new data folder. */
export const startBusyDesk = async (dir: string): Promise<BusyDesk> => {
  const start = (port: string): Promise<ServerProcess> =>
    startServer([CLI, 'serve', '--port', port, '--data', dir], { env: ENVIRONMENT });
  let server = await start('0');
  const { port } = new URL(server.url);
  return {
    url: server.url,
    call: controlClient(openDataFolder(dir).controlSocket),
    async restart(how) {
      await server[how]();
      server = await start(port);
    },
    stop: () => server.stop(),
  };
};
