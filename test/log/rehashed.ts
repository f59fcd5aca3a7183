import { leafHash } from '../../src/core/log/merkle-tree.ts';
import { sha256 } from '../../src/engine/base/sha256.ts';

const PREVIOUS = /"previous":(?:null|"[0-9a-f]{64}")/;

/** Rewrites entries so that each follows the one before, as someone does who forges a log. */
export const createRehash = (): ((entry: string) => string) => {
  let previous: string | null = null;
  return (entry) => {
    const text = entry.replace(PREVIOUS, `"previous":${JSON.stringify(previous)}`);
    previous = Buffer.from(leafHash(Buffer.from(text), sha256)).toString('hex');
    return text;
  };
};
