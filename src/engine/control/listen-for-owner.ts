import { rmSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type HttpListener, listen } from '../http/listen.ts';

/** Serves the control socket. Only its owner can open it. @throws EngineError */
export const listenForOwner = async (
  path: string,
  app: Parameters<typeof listen>[0],
  serving: Parameters<typeof listen>[2],
): Promise<HttpListener> => {
  const isPipe = path.startsWith('\\\\');
  if (!isPipe) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // A killed engine leaves its socket file. This engine holds the data folder's lock, so no other one uses the
    // socket.
    rmSync(path, { force: true });
  }
  const listening = await listen(app, { path }, serving);
  if (!isPipe) await chmod(path, 0o600);
  return listening;
};
