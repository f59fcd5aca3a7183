import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdtempSync, readdirSync, realpathSync, rmdirSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { EngineError } from '../../shared/errors.ts';
import { createFolder } from './create-folder.ts';
import { lockFile } from './lock.ts';

/** Files of an engine, by name in the data folder. A backup contains these and {@link keystoreFiles}. */
export const dataFiles = { database: 'gasdesk.db', vault: 'vault.json', config: 'gasdesk.json' } as const;

/** Folder of the local keys, one file each. Part of a backup. */
export const KEYSTORES = 'keystores';

/** A key's address in lower case. Files with other names are ignored. */
export const KEYSTORE_NAME = /^0x[0-9a-f]{40}[.]json$/;

/** Keystore files in a data folder, as relative paths. Links, pipes and folders are ignored. */
export const keystoreFiles = (dir: string): string[] => {
  const folder = join(dir, KEYSTORES);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && KEYSTORE_NAME.test(entry.name))
    .map(({ name }) => `${KEYSTORES}/${name}`);
};

/** The paths of a data folder. All are absolute. */
export interface DataFolder {
  readonly dir: string;
  readonly database: string;
  readonly vault: string;
  readonly config: string;
  /** Folder of the local keys. It need not exist. */
  readonly keystores: string;
  readonly lock: string;
  /** File that records where the log in the database ends. */
  readonly logEnd: string;
  /** Unix socket, or named pipe on Windows, through which the CLI reaches the running engine. */
  readonly controlSocket: string;
}

/** Properties of the operating system, which tests replace. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly temporary: string;
}

/** `sun_path` has 104 bytes on macOS and 108 on Linux, including the final zero. */
const LONGEST_SOCKET_PATH = 100;

const thisMachine = (): Machine => ({ platform: process.platform, home: homedir(), temporary: tmpdir() });

/** The operating system's folder for application data. @param env the process's environment */
export const defaultDataFolder = (
  env: Readonly<Partial<Record<string, string>>>,
  { platform, home }: Machine = thisMachine(),
): string => {
  if (platform === 'win32') return win32.join(env.APPDATA ?? win32.join(home, 'AppData', 'Roaming'), 'Gasdesk');
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'Gasdesk');
  const dataHome = env.XDG_DATA_HOME ?? '';
  // The XDG specification says to ignore relative paths.
  return posix.join(posix.isAbsolute(dataHome) ? dataHome : posix.join(home, '.local', 'share'), 'gasdesk');
};

/**
 * Opens a data folder. Creates it if it is missing, accessible to its owner only. An existing folder keeps its mode,
 * because private files in it have their own modes. Refuses a folder in which every user may create files: one of them
 * could create a file with a name that Gasdesk uses.
 *
 * @throws {@link EngineError} `DATA_FOLDER_UNUSABLE`, which says why
 */
export const openDataFolder = (path: string, machine: Machine = thisMachine()): DataFolder => {
  const dir = usableFolder(path);
  return {
    dir,
    database: join(dir, dataFiles.database),
    vault: join(dir, dataFiles.vault),
    config: join(dir, dataFiles.config),
    keystores: join(dir, KEYSTORES),
    lock: lockFile(dir),
    logEnd: logEndFile(dir),
    controlSocket: controlSocket(dir, machine),
  };
};

/** File that records where the log in the database ends. It is in no backup, because a backup's log ends earlier. */
export const logEndFile = (dir: string): string => join(dir, 'log-end');

const unusable = (dir: string, why: string, cause?: unknown): EngineError =>
  new EngineError('DATA_FOLDER_UNUSABLE', `Cannot use the data folder ${dir}: ${why}`, { dir }, { cause });

/** Tests by writing a file, because permissions, read-only mounts and full quotas are otherwise hard to detect. */
const writableFolder = (path: string): string => {
  try {
    createFolder(path);
    rmdirSync(mkdtempSync(join(path, '.write-test-')));
    return realpathSync(path);
  } catch (cause) {
    throw unusable(path, `Gasdesk cannot create it or write to it (${(cause as Error).message})`, cause);
  }
};

const WRITABLE_BY_ALL = 0o002;

/**
 * Refuses a folder that every user may write to. The group may write, because many systems give each user a group of
 * their own. Windows has no such bits.
 */
const requireOwnersFolder = (dir: string): void => {
  if (process.platform === 'win32' || (statSync(dir).mode & WRITABLE_BY_ALL) === 0) return;
  throw unusable(dir, `every user of this machine may write to it. Run: chmod 700 '${dir}'`);
};

/**
 * Creates a folder if it is missing. Refuses one that Gasdesk cannot write to, or that every user may write to.
 *
 * @returns its path without symbolic links
 * @throws EngineError `DATA_FOLDER_UNUSABLE`
 */
export const usableFolder = (path: string): string => {
  const dir = writableFolder(path);
  requireOwnersFolder(dir);
  return dir;
};

const controlSocket = (dir: string, { platform, temporary }: Machine): string => {
  const id = createHash('sha256').update(dir).digest('hex').slice(0, 16);
  if (platform === 'win32') return `\\\\.\\pipe\\gasdesk-${id}`;
  // The socket gets a separate folder, whose mode decides who may connect, even at the moment the socket is created.
  const folders = [join(dir, 'run'), join(temporary, `gasdesk-${id}`)];
  const folder = folders.find((candidate) => Buffer.byteLength(join(candidate, 'control.sock')) <= LONGEST_SOCKET_PATH);
  if (!folder) throw unusable(dir, `its path and that of ${temporary} are too long for a Unix socket`);
  ownFolder(dir, folder);
  return join(folder, 'control.sock');
};

/** All users share the temporary folder, so another user may have put a folder or a link there under this name. */
const ownFolder = (dir: string, folder: string): void => {
  try {
    createFolder(folder);
    const stat = lstatSync(folder);
    if (!stat.isDirectory() || stat.uid !== process.getuid?.()) throw new Error(`${folder} belongs to another user`);
    chmodSync(folder, 0o700);
  } catch (cause) {
    throw unusable(dir, `no private folder for the control socket (${(cause as Error).message})`, cause);
  }
};
