import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Debian's browser without windows, which takes a quarter less CPU. The program of its name on the PATH is a script that
 * leaves it running when it is ended.
 */
const WITHOUT_WINDOWS = '/usr/lib/chromium/chromium-headless-shell';
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'chrome.exe'];
const PLACES = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The Chromium of this machine: the environment's `CHROMIUM`, else the first in its usual places. */
export const findChromium = (): string | undefined => {
  const { CHROMIUM, PATH = '' } = process.env;
  if (CHROMIUM) return CHROMIUM;
  const onPath = PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [WITHOUT_WINDOWS, ...onPath, ...PLACES].find(isExecutable);
};
