import { readFileSync } from 'node:fs';

/**
 * Descriptors (files, sockets) that this process may open. Infinity if unknown: only Linux reports it, and elsewhere
 * Node.js is allowed more than a desk needs.
 */
export const mostDescriptors = (): number => {
  try {
    const [, most] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return most === undefined ? Infinity : Number(most);
  } catch {
    return Infinity;
  }
};
