import { buildConsole } from '../../scripts/build-console.ts';
import { buildContracts } from '../../scripts/build-contracts.ts';
import { findChromium } from './find-chromium.ts';

/** Runs once before the tests: they deploy the contracts, and look at the console, that this makes. */
export const setup = async (): Promise<void> => {
  await buildContracts();
  if (findChromium() !== undefined) buildConsole();
};
