import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian's shell without windows comes first: it takes a quarter less CPU. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'chrome.exe'];
const PLACES = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The Chromium of this machine: the environment's `CHROMIUM`, else the first of its usual names. */
export const findChromium = (): string | undefined => {
  const { CHROMIUM, PATH = '' } = process.env;
  if (CHROMIUM) return CHROMIUM;
  const onPath = PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [...onPath, ...PLACES].find(isExecutable);
};
