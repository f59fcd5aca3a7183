import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { _electron } from 'playwright-core';
import type { Shell } from './running-shell.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Like `startShell`, on a real Electron; `executablePath` is its binary. */
export const startRealShell = async (
  executablePath: string,
  env: Readonly<Record<string, string>>,
  main = join(root, 'out', 'main', 'index.js'),
): Promise<Shell> => {
  // Chromium's sandbox does not work for root.
  const args = [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), main];
  const app = await _electron.launch({ executablePath, args, env: { ...(process.env as typeof env), ...env } });
  const child = app.process();
  const written: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => written.push(text));
  const ended = once(child, 'exit');
  return {
    page: await app.firstWindow(),
    evaluate: (run, arg) => app.evaluate(run as never, arg as never),
    stderr: () => written.join(''),
    async quit() {
      await app.evaluate(({ app: running }) => running.quit()).catch(() => undefined);
      const [code] = (await ended) as [number | null];
      return code ?? 1;
    },
  };
};
