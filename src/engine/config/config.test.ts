import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineError } from '../../shared/errors.ts';
import { Secret } from '../base/secret.ts';
import { type ConfigSources, describeConfig, loadConfig, portableSettings } from './config.ts';
import { createSettings } from './settings.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'gasdesk-config-'));
  file = join(dir, 'gasdesk.json');
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

const write = (content: unknown): void => {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
};

const refusal = (sources: ConfigSources): EngineError => {
  try {
    loadConfig(sources);
  } catch (error) {
    expect(error).toBeInstanceOf(EngineError);
    expect((error as EngineError).code).toBe('CONFIG_INVALID');
    return error as EngineError;
  }
  throw new Error('was not refused');
};

test('without any setting the service listens on this machine only', () => {
  expect(loadConfig({ env: {}, file })).toEqual({
    host: '127.0.0.1',
    port: 8645,
    allowedHosts: [],
    logLevel: 'info',
    showReasons: true,
    chainTimeoutMs: 5_000,
    requestTimeoutMs: 30_000,
    settlementPollMs: 4_000,
    webhookTimeoutMs: 3_000,
    webhookAllowPrivate: true,
    webhookMaxConcurrent: 32,
    blankWebhookData: false,
    outstandingSharePercent: 25,
    rateLimitPerKey: 120_000,
    rateLimitPerSender: 6_000,
    rateLimitPerIp: 6_000,
    rateLimitForwarded: 6_000,
    bodyLimitBytes: 1_048_576,
    rpcBodyLimitBytes: 131_072,
    maxConnections: 4_096,
    connectionSharePercent: 25,
    continuousBackup: '',
    continuousBackupDays: 7,
    continuousBackupWait: false,
    s3Endpoint: '',
    s3Region: 'us-east-1',
    s3AccessKeyId: '',
    s3SecretAccessKey: new Secret(''),
    eventStreamsPerToken: 16,
    metricsToken: new Secret(''),
  });
});

test('a flag wins over the environment, that over the file, that over the default', () => {
  write({ port: 1, host: 'file', logLevel: 'warn' });
  const sources = { flags: { port: '3', host: undefined }, env: { GASDESK_PORT: '2', GASDESK_HOST: 'env' }, file };
  expect(loadConfig(sources)).toMatchObject({ port: 3, host: 'env', logLevel: 'warn', showReasons: true });
  expect(describeConfig(sources)).toEqual(
    expect.arrayContaining([
      { key: 'port', value: 3, source: '--port' },
      { key: 'host', value: 'env', source: 'GASDESK_HOST' },
      { key: 'logLevel', value: 'warn', source: file },
      { key: 'showReasons', value: true, source: 'default' },
    ]),
  );
});

test('every kind of setting can be given as text', () => {
  const env = {
    GASDESK_ALLOWED_HOSTS: 'desk.example.com, [::1]:8645',
    GASDESK_SHOW_REASONS: 'false',
    GASDESK_CHAIN_TIMEOUT_MS: '250',
    GASDESK_LOG_LEVEL: 'debug',
  };
  expect(loadConfig({ flags: { requestTimeoutMs: '2000' }, env })).toMatchObject({
    allowedHosts: ['desk.example.com', '[::1]:8645'],
    showReasons: false,
    chainTimeoutMs: 250,
    logLevel: 'debug',
    requestTimeoutMs: 2_000,
  });
  expect(loadConfig({ env: { GASDESK_ALLOWED_HOSTS: '' } }).allowedHosts).toEqual([]);
});

test.each([
  ['GASDESK_PORT', '65536', 'port (from GASDESK_PORT) must be an integer from 0 to 65535'],
  ['GASDESK_PORT', '', 'port (from GASDESK_PORT) must be'],
  ['GASDESK_PORT', '0x10', 'port (from GASDESK_PORT) must be'],
  ['GASDESK_PORT', '1e3', 'port (from GASDESK_PORT) must be'],
  ['GASDESK_SHOW_REASONS', 'yes', 'showReasons (from GASDESK_SHOW_REASONS) must be true or false'],
  ['GASDESK_LOG_LEVEL', 'loud', 'logLevel (from GASDESK_LOG_LEVEL) must be one of: debug, info'],
  ['GASDESK_HOST', 'http://x', 'host (from GASDESK_HOST) must be a host name'],
  ['GASDESK_ALLOWED_HOSTS', 'a,,b', 'allowedHosts (from GASDESK_ALLOWED_HOSTS) must be a list of hosts'],
  ['GASDESK_ALLOWED_HOSTS', 'http://a', 'allowedHosts (from GASDESK_ALLOWED_HOSTS) must be a list of hosts'],
])('%s=%s is refused with the setting, its source and what it accepts', (variable, text, message) => {
  expect(refusal({ env: { [variable]: text } }).message).toContain(message);
});

test('a setting of the wrong type in the file is refused, not guessed at', () => {
  write({ port: '8645' });
  expect(refusal({ file }).message).toContain(`port (from ${file}) must be an integer`);
  write({ showReasons: null });
  expect(refusal({ file }).message).toContain(`showReasons (from ${file}) must be true or false`);
});

test('a misspelt setting is refused in every source, and the nearest name is suggested', () => {
  write('{"prot": 1, "__proto__": {"port": 1}, "toString": 1}');
  const error = refusal({
    flags: { hots: 'x' },
    env: { GASDESK_PROT: '1', GASDESK_PASPHRASE: 'x', PATH: '/bin' },
    file,
  });
  expect(error.data.errors).toEqual([
    'hots (from --hots) is not a setting. Did you mean host?',
    'GASDESK_PROT (from the environment) is not a setting. Did you mean GASDESK_PORT?',
    'GASDESK_PASPHRASE (from the environment) is not a setting. Did you mean GASDESK_PASSPHRASE?',
    `prot (from ${file}) is not a setting. Did you mean port?`,
    expect.stringMatching(/^__proto__ .* is not a setting\. The settings are: host, port,/),
    expect.stringContaining('toString'),
  ]);
});

test.each([
  'GASDESK_DATA',
  'GASDESK_DATA_DIR',
  'GASDESK_DATADIR',
  'GASDESK_DATA_FOLDER',
  'GASDESK_DIR',
  'GASDESK_HOME',
  'GASDESK_PATH',
])('%s is refused with the option that chooses the data folder', (variable) => {
  expect(refusal({ env: { [variable]: '/desk' } }).data.errors).toEqual([
    `${variable} (from the environment) is not a setting. To choose the data folder, use the option --data`,
  ]);
});

test('an error is reported even if another source overrides it', () => {
  write({ port: -1 });
  expect(refusal({ flags: { port: 1 }, file }).message).toContain(`port (from ${file})`);
});

test('neither the passphrase nor the value of a misspelt variable is ever shown', () => {
  const passphrase = 'correct horse battery staple';
  const sources = { env: { GASDESK_PASSPHRASE: passphrase, GASDESK_ANVIL: '/usr/bin/anvil' } };
  expect(JSON.stringify([loadConfig(sources), describeConfig(sources)])).not.toContain(passphrase);
  const error = refusal({ env: { GASDESK_PASSPHRAS: passphrase } });
  expect(error.message + JSON.stringify(error.data)).not.toContain(passphrase);
});

test.each([['not json'], ['[]'], ['null'], ['"x"'], ['']])('a file that holds %s is refused by name', (content) => {
  write(content);
  expect(refusal({ file }).message).toContain(`${file} must contain one JSON object`);
});

test('a file may begin with a byte order mark', () => {
  write('\uFEFF{"port": 4321}');
  expect(loadConfig({ file }).port).toBe(4321);
});

test('a typing error in a file is reported by its line, without what the file contains', () => {
  write('{\n  "port": 1\n  "s3SecretAccessKey": "s3cret"\n}');
  expect(refusal({ file }).message).toContain('(line 3 column 3)');
  write('{ "s3SecretAccessKey": s3cret }');
  expect(refusal({ file }).message).toMatch(/\(Unexpected token 's'\)$/);
});

test('a file that is there and cannot be read is not taken for none', () => {
  expect(refusal({ file: dir }).message).toContain(`cannot read ${dir} (`);
});

test('a database is a PostgreSQL URL, whose password is shown nowhere', () => {
  const url = 'postgres://desk:s3cret@db.example.com/gasdesk';
  const sources = { env: { GASDESK_DATABASE: url } };
  const config = loadConfig(sources);
  expect(config.database?.reveal()).toBe(url);
  const described = describeConfig(sources);
  expect(described).toContainEqual({
    key: 'database',
    value: 'postgres://desk@db.example.com/gasdesk',
    source: 'GASDESK_DATABASE',
  });
  write({ database: url });
  const settings = createSettings(loadConfig({ file }), {}, file);
  expect(settings.list()).toContainEqual(
    expect.objectContaining({ key: 'database', value: 'postgres://desk@db.example.com/gasdesk', next: null }),
  );
  const wrong = refusal({ env: { GASDESK_DATABASE: 'mysql://desk:s3cret@db/gasdesk' } });
  expect(wrong.message).toContain('database (from GASDESK_DATABASE) must be a postgres:// or postgresql:// URL');
  const shown = JSON.stringify([config, described, settings.list(), wrong.message, wrong.data]);
  expect(shown + inspect([config, described, wrong])).not.toContain('s3cret');
});

test('without a database, or with an empty one, the desk is in its folder', () => {
  write({ database: 'postgres://db/gasdesk' });
  expect(loadConfig({}).database).toBeUndefined();
  expect(loadConfig({ env: { GASDESK_DATABASE: '' }, file }).database).toBeUndefined();
  expect(describeConfig({})).toContainEqual({ key: 'database', value: '', source: 'default' });
});

test('a password on the command line is refused: others can read it there', () => {
  const flags = { database: 'postgres://desk:s3cret@db/gasdesk' };
  const { message, data } = refusal({ flags });
  expect(message).toMatch(/--database.*GASDESK_DATABASE.*PGPASSWORD.*PGPASSFILE/);
  expect(message + JSON.stringify(data)).not.toContain('s3cret');
  expect(loadConfig({ flags: { database: 'postgres://desk@db/gasdesk' } }).database).toBeDefined();
});

test('a copy in files does not name the database it was copied from', () => {
  expect(JSON.parse(portableSettings('{"port": 1, "database": "postgres://db/gasdesk"}'))).toEqual({ port: 1 });
  for (const text of ['{"port": 1}', 'not json', '7']) expect(portableSettings(text)).toBe(text);
});

test('settings cannot be changed behind the back of those who read them', () => {
  const config = loadConfig({});
  expect(Object.isFrozen(config)).toBe(true);
  expect(Object.isFrozen(config.allowedHosts)).toBe(true);
});

test('a secret is read like any other setting, and shown nowhere', () => {
  const token = 'sixteen-or-more-characters';
  const sources = { env: { GASDESK_METRICS_TOKEN: token }, file };
  const config = loadConfig(sources);
  expect(config.metricsToken.reveal()).toBe(token);
  const described = (given: ConfigSources) => describeConfig(given).find(({ key }) => key === 'metricsToken');
  expect(described(sources)).toEqual({ key: 'metricsToken', value: '[secret]', source: 'GASDESK_METRICS_TOKEN' });
  expect(described({ file })).toEqual({ key: 'metricsToken', value: '', source: 'default' });
  expect(described({ flags: { ...config } })).toMatchObject({ value: '[secret]' });
  expect(refusal({ env: { GASDESK_METRICS_TOKEN: 'too short' } }).message).not.toContain('too short');
});
