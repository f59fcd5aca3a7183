import { EngineError } from '../../shared/errors.ts';

/**
 * The Node-API version that better-sqlite3 13 is built for. On an older Node.js, it crashes the process without a
 * message.
 */
const NEEDED = 10;

/**
 * Refuses a version of Node.js on which the database driver would crash.
 *
 * @throws EngineError `CONFIG_INVALID`
 */
export const requireNodeApi = (
  { napi, node }: Readonly<Record<string, string | undefined>> = process.versions,
): void => {
  if (Number(napi ?? 0) >= NEEDED) return;
  throw new EngineError(
    'CONFIG_INVALID',
    `Gasdesk needs Node.js 22.14 or newer (Node-API ${NEEDED}). This is Node.js ${node ?? '?'} with Node-API ${napi ?? '?'}.`,
  );
};
