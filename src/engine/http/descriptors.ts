import { readFileSync } from 'node:fs';

/**
 * How many descriptors (files, sockets) this process may open. Infinity where that cannot be told: Linux alone says it,
 * and elsewhere Node.js is allowed more than a desk needs.
 */
export const mostDescriptors = (): number => {
  try {
    const [, most] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return most === undefined ? Infinity : Number(most);
  } catch {
    return Infinity;
  }
};
