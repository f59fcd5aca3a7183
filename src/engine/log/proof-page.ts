import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SharedProof } from '../../core/log/shared-proof.ts';
import { resourcesFolder } from '../base/resources-folder.ts';

const PLACE = '<script type="application/json" id="proof">';

/**
 * A page that verifies a proof in the reader's browser, without a network (`src/proof`).
 *
 * @throws Error that names the build command, if the page has not been built
 */
export const proofPage = async (proof: SharedProof): Promise<string> => {
  const file = join(resourcesFolder(), 'proof-page.html');
  const page = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`The page ${file} is missing: run npm run build:proof-page`, { cause });
  });
  // In JSON, this escape means the same. So nothing in the proof can end the script.
  const json = JSON.stringify(proof).replaceAll('<', String.raw`\u003c`);
  return page.replace(PLACE, () => `${PLACE}${json}`);
};
