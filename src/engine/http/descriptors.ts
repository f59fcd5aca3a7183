import { readFileSync } from 'node:fs';

/**
 * Number of descriptors (files, sockets) that this process may open. Infinity if it is unknown: only Linux reports the
 * limit, and other systems allow more than an engine needs.
 */
export const mostDescriptors = (): number => {
  try {
    const [, most] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return most === undefined ? Infinity : Number(most);
  } catch {
    return Infinity;
  }
};
