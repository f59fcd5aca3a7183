import { rmSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Listening, listen } from '../http/listen.ts';

/** Serves the control socket, which only its owner can open. @throws EngineError */
export const listenForOwner = async (
  path: string,
  app: Parameters<typeof listen>[0],
  serving: Parameters<typeof listen>[2],
): Promise<Listening> => {
  const isPipe = path.startsWith('\\\\');
  if (!isPipe) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // A socket file outlives an engine that was killed. The lock of the data folder says that nobody uses it.
    rmSync(path, { force: true });
  }
  const listening = await listen(app, { path }, serving);
  if (!isPipe) await chmod(path, 0o600);
  return listening;
};
