import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  statSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { EngineError } from '../../shared/errors.ts';
import { lockFile } from './lock.ts';

/** What an engine keeps, by its name in the data folder: this, and {@link keystoreFiles}, is what a backup holds. */
export const keptFiles = { database: 'gasdesk.db', vault: 'vault.json', config: 'gasdesk.json' } as const;

/** Folder of the local keys, which an engine keeps too, a file each. */
export const KEYSTORES = 'keystores';

/** Name of a keystore file: the address of its key in lower case. Others in that folder are not ours. */
export const KEYSTORE_NAME = /^0x[0-9a-f]{40}[.]json$/;

/** The keystore files there are in a data folder, as paths inside it. Links, pipes and folders are not ours. */
export const keystoreFiles = (dir: string): string[] => {
  const folder = join(dir, KEYSTORES);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && KEYSTORE_NAME.test(entry.name))
    .map(({ name }) => `${KEYSTORES}/${name}`);
};

/** Where everything of one engine lies. All paths are absolute. */
export interface DataFolder {
  readonly dir: string;
  readonly database: string;
  readonly vault: string;
  readonly config: string;
  /** Folder of the local keys; it need not exist. */
  readonly keystores: string;
  readonly lock: string;
  /** Tells where the log of the database ends. */
  readonly logEnd: string;
  /** Unix socket, or named pipe on Windows, by which the CLI reaches the running engine. */
  readonly controlSocket: string;
}

/** What the operating system tells about itself; taken from it unless a test says otherwise. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly temporary: string;
}

/** `sun_path` has room for 104 bytes on macOS and 108 on Linux, the closing zero included. */
const LONGEST_SOCKET_PATH = 100;

const thisMachine = (): Machine => ({
  platform: process.platform,
  home: homedir(),
  temporary: tmpdir(),
});

/** The operating system's folder for the data of an application; `env` is the process's environment. */
export const defaultDataFolder = (
  env: Readonly<Partial<Record<string, string>>>,
  { platform, home }: Machine = thisMachine(),
): string => {
  if (platform === 'win32') return win32.join(env.APPDATA ?? win32.join(home, 'AppData', 'Roaming'), 'Gasdesk');
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'Gasdesk');
  const dataHome = env.XDG_DATA_HOME ?? '';
  // The XDG specification: a relative path is to be ignored.
  return posix.join(posix.isAbsolute(dataHome) ? dataHome : posix.join(home, '.local', 'share'), 'gasdesk');
};

/**
 * Makes the folder, for its owner only, if there is none, and tells its paths. A folder that exists keeps its mode; what
 * must be the owner's alone inside it has its own. One in which everybody may put files is refused: a file under one of
 * our names there could be anybody's.
 *
 * @throws {@link EngineError} `DATA_FOLDER_UNUSABLE` that says why
 */
export const openDataFolder = (path: string, machine: Machine = thisMachine()): DataFolder => {
  const dir = writableFolder(path);
  requireOwnersFolder(dir);
  return {
    dir,
    database: join(dir, keptFiles.database),
    vault: join(dir, keptFiles.vault),
    config: join(dir, keptFiles.config),
    keystores: join(dir, KEYSTORES),
    lock: lockFile(dir),
    logEnd: logEndFile(dir),
    controlSocket: controlSocket(dir, machine),
  };
};

/** Tells where the log of the database ends. It is in no backup, which is of an earlier time. */
export const logEndFile = (dir: string): string => join(dir, 'log-end');

const unusable = (dir: string, why: string, cause?: unknown): EngineError =>
  new EngineError('DATA_FOLDER_UNUSABLE', `Cannot use the data folder ${dir}: ${why}`, { dir }, { cause });

/** Tries it out, since permissions, read-only mounts and full quotas all look different beforehand. */
const writableFolder = (path: string): string => {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    rmdirSync(mkdtempSync(join(path, '.write-test-')));
    return realpathSync(path);
  } catch (cause) {
    throw unusable(path, `Gasdesk cannot create it or write to it (${(cause as Error).message})`, cause);
  }
};

const WRITABLE_BY_ALL = 0o002;

/** Windows has no such bits. The group may write: many systems give each user a group of their own. */
const requireOwnersFolder = (dir: string): void => {
  if (process.platform === 'win32' || (statSync(dir).mode & WRITABLE_BY_ALL) === 0) return;
  throw unusable(dir, `every user of this machine may write to it. Run: chmod 700 '${dir}'`);
};

const controlSocket = (dir: string, { platform, temporary }: Machine): string => {
  const id = createHash('sha256').update(dir).digest('hex').slice(0, 16);
  if (platform === 'win32') return `\\\\.\\pipe\\gasdesk-${id}`;
  // In a folder of its own: who may enter that decides who may connect, from the very first moment of the socket.
  const folders = [join(dir, 'run'), join(temporary, `gasdesk-${id}`)];
  const folder = folders.find((candidate) => Buffer.byteLength(join(candidate, 'control.sock')) <= LONGEST_SOCKET_PATH);
  if (!folder) throw unusable(dir, `its path and that of ${temporary} are too long for a Unix socket`);
  ownFolder(dir, folder);
  return join(folder, 'control.sock');
};

/** The temporary folder is everybody's: somebody else may have put a folder or a link under our name. */
const ownFolder = (dir: string, folder: string): void => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const stat = lstatSync(folder);
    if (!stat.isDirectory() || stat.uid !== process.getuid?.()) throw new Error(`${folder} belongs to another user`);
    chmodSync(folder, 0o700);
  } catch (cause) {
    throw unusable(dir, `no private folder for the control socket (${(cause as Error).message})`, cause);
  }
};
