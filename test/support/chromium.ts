import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findChromium } from './find-chromium.ts';

/** Disables what Chromium does by itself: network requests, windows, anything that needs a display. */
const QUIET = [
  '--headless=new',
  '--disable-background-networking',
  '--no-first-run',
  '--disable-component-update',
  '--disable-sync',
  '--disable-gpu',
  '--block-new-web-contents',
];

/** A running Chromium that several processes can control at once. */
export interface RunningChromium {
  readonly endpoint: string;
  stop(): Promise<void>;
}

const endpointOf = async (child: ChildProcess): Promise<string> => {
  if (child.stderr === null) throw new Error('Chromium has no standard error');
  const lines: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    const [, endpoint] = /^DevTools listening on (ws:\S+)/.exec(line) ?? [];
    if (endpoint !== undefined) return endpoint;
    lines.push(line);
  }
  throw new Error(`Chromium did not start:\n${lines.join('\n')}`);
};

/** Starts the Chromium of this machine on a new profile. */
export const startChromium = async (): Promise<RunningChromium> => {
  const chromium = findChromium();
  if (chromium === undefined) throw new Error('There is no Chromium on the PATH; CHROMIUM may name one.');
  const profile = mkdtempSync(join(tmpdir(), 'gasdesk-chromium-'));
  // Chromium's own sandbox does not work for root.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const args = [...QUIET, ...sandbox, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'];
  const child = spawn(chromium, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  return {
    endpoint: await endpointOf(child),
    async stop() {
      child.kill();
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
