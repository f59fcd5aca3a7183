import { isDeepStrictEqual } from 'node:util';
import type { ProcedureOutput } from '../../api/index.ts';
import { EngineError } from '../../shared/errors.ts';
import {
  type Config,
  type ConfigChange,
  type ConfigEntry,
  type ConfigSources,
  acceptedBySetting,
  describeConfig,
  notASetting,
  saveSetting,
  shownValue,
} from './config.ts';

type Setting = ProcedureOutput<'config.set'>;

/** Settings that the operator can change while the service runs, and when a change takes effect. */
const CHANGEABLE = new Map<string, 'now' | 'restart'>([
  ['rateLimitPerKey', 'now'],
  ['rateLimitPerSender', 'now'],
  ['rateLimitPerIp', 'now'],
  ['rateLimitForwarded', 'now'],
  ['outstandingSharePercent', 'now'],
  ['showReasons', 'now'],
  ['webhookTimeoutMs', 'now'],
  ['blankWebhookData', 'now'],
  ['continuousBackup', 'now'],
  ['continuousBackupDays', 'now'],
  // Open connections would remain connected to addresses that are no longer allowed.
  ['webhookAllowPrivate', 'restart'],
  ['webhookMaxConcurrent', 'restart'],
]);

export interface Settings {
  /** Current values. Read a setting each time it is needed, because a copied value does not follow changes. */
  readonly config: Config;
  readonly file: string;
  /** @throws EngineError `CONFIG_INVALID` if the file has become invalid */
  list(): Setting[];
  /**
   * Changes a setting permanently.
   *
   * @throws EngineError `CONFIG_NOT_CHANGEABLE`, `CONFIG_OVERRIDDEN`, `CONFIG_INVALID` or `DATA_FOLDER_UNUSABLE`
   */
  set(change: ConfigChange): Setting;
}

const readThrough = (values: Config, current: () => Config): Config =>
  Object.defineProperties(
    {},
    Object.fromEntries(
      Object.keys(values).map((key) => [key, { enumerable: true, get: () => current()[key as keyof Config] }]),
    ),
  ) as Config;

/**
 * The settings of a running engine.
 *
 * @param sources where the settings came from; a setting that no source contains was set by the code that created the
 * engine
 * @param file `gasdesk.json` of the data folder, which stores changes
 */
export const createSettings = (started: Config, sources: ConfigSources, file: string): Settings => {
  let current = started;
  const entries = (): readonly ConfigEntry[] => describeConfig({ ...sources, file });

  const change = ({ key, source }: ConfigEntry): Setting['change'] => {
    const when = CHANGEABLE.get(key);
    if (when === undefined) return 'no';
    return source === file || source === 'default' ? when : 'overridden';
  };
  const view = (entry: ConfigEntry): Setting => {
    const { key, source } = entry;
    const value = shownValue(key, current[key]) as Setting['value'];
    const stored = entry.value as Setting['value'];
    return {
      key,
      value,
      source,
      change: change(entry),
      next: isDeepStrictEqual(stored, value) ? null : stored,
      accepts: acceptedBySetting.get(key) ?? '',
    };
  };
  const find = (key: string): ConfigEntry => {
    const entry = entries().find((one) => one.key === key);
    if (entry !== undefined) return entry;
    throw new EngineError('CONFIG_NOT_CHANGEABLE', notASetting(key));
  };

  return {
    config: readThrough(started, () => current),
    file,
    list: () => entries().map(view),
    set({ key, value }) {
      const when = CHANGEABLE.get(find(key).key);
      if (when === undefined) {
        const message = `${key} cannot be changed here. Edit ${file} and restart the service`;
        throw new EngineError('CONFIG_NOT_CHANGEABLE', message);
      }
      saveSetting(sources, file, { key, value });
      const entry = find(key);
      if (when === 'now') current = Object.freeze({ ...current, [key]: entry.value });
      return view(entry);
    },
  };
};
