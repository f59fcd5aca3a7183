import type { ProcedureOutput } from '../../../../api/index.ts';
import { grouped } from '../../../../shared/words/amount.ts';

export type Setting = ProcedureOutput<'config.set'>;

interface SettingWords {
  readonly title: string;
  readonly purpose: string;
}

const WORDS: Readonly<Record<string, SettingWords>> = {
  rateLimitPerKey: {
    title: 'Requests per API key',
    purpose: 'Requests per minute of one DApp, all its users together.',
  },
  rateLimitPerSender: { title: 'Requests per sender', purpose: 'Requests per minute for one smart account of a DApp.' },
  rateLimitPerIp: {
    title: 'Requests per IP address',
    purpose: 'Requests per minute from one address. Requests from this machine have no limit.',
  },
  rateLimitForwarded: {
    title: 'Requests to the bundler',
    purpose: 'Requests per minute of one DApp that Gasdesk passes on to the bundler of the chain.',
  },
  outstandingSharePercent: {
    title: 'Share of a gas tank',
    purpose: 'Percent of a shared tank that one sender, or one DApp, may have outstanding. 100 removes the limit.',
  },
  showReasons: {
    title: 'Return denial reasons to DApps',
    purpose: 'Include denial reasons in answers to DApps. You always see them here.',
  },
  webhookTimeoutMs: {
    title: 'Webhook timeout',
    purpose: 'Milliseconds to wait for a webhook. After that, the operation is denied.',
  },
  webhookAllowPrivate: {
    title: 'Webhooks at private addresses',
    purpose: 'Allow webhooks on this machine or in its private network. Cloud metadata is never called.',
  },
  blankWebhookData: {
    title: 'Store hashes of webhook data',
    purpose:
      'Store only the hash of what DApps send for webhooks and of what webhooks answer. Applies to new decisions.',
  },
  webhookMaxConcurrent: { title: 'Concurrent calls per webhook', purpose: 'Further calls wait their turn.' },
  continuousBackup: {
    title: 'Continuous backup',
    purpose: 'The folder or bucket (s3://BUCKET/PREFIX) in which Gasdesk keeps an encrypted copy up to date.',
  },
  continuousBackupDays: {
    title: 'Days of continuous backup',
    purpose: 'Any second of this many past days can be restored.',
  },
  continuousBackupWait: {
    title: 'Answers wait for the continuous backup',
    purpose: 'A standby needs this: Gasdesk answers only when the copy contains the decision.',
  },
  s3Endpoint: { title: 'Object store', purpose: 'URL of an S3-compatible store. Empty for Amazon S3.' },
  s3Region: { title: 'Region of the object store', purpose: 'Such as us-east-1.' },
  s3AccessKeyId: { title: 'Access key of the object store', purpose: 'The id of the key.' },
  s3SecretAccessKey: { title: 'Secret key of the object store', purpose: 'The secret that belongs to the access key.' },
  database: { title: 'Database', purpose: 'Several services may share one PostgreSQL database.' },
  host: { title: 'Listen address', purpose: 'With 127.0.0.1, only this machine can connect.' },
  port: { title: 'Port', purpose: '0 takes any free port.' },
  allowedHosts: { title: 'Host names', purpose: 'Names that clients may use for the service, besides IP addresses.' },
  logLevel: { title: 'Log level', purpose: 'The lowest level that Gasdesk logs.' },
  chainTimeoutMs: { title: 'Node timeout', purpose: 'Milliseconds to wait for an answer.' },
  requestTimeoutMs: {
    title: 'Request timeout',
    purpose: 'Milliseconds for a request to arrive, or for a client to read its answer.',
  },
  settlementPollMs: { title: 'Settlement polling interval', purpose: 'Milliseconds between two checks of the chain.' },
  bodyLimitBytes: { title: 'Largest HTTP request', purpose: 'For the management interface and the console.' },
  rpcBodyLimitBytes: { title: 'Largest JSON-RPC request', purpose: 'For the JSON-RPC interface.' },
  metricsToken: {
    title: 'Metrics token',
    purpose: 'Token with which other machines read /metrics. Without one, only this machine can.',
  },
  maxConnections: {
    title: 'Concurrent connections',
    purpose: 'Beyond that, Gasdesk closes idle connections, first those of addresses that have many.',
  },
  connectionSharePercent: {
    title: 'Connections per IP address',
    purpose: 'Percent of all connections that one address may have. Connections from this machine have no limit.',
  },
  eventStreamsPerToken: {
    title: 'Event streams per token',
    purpose: 'How many streams of events one auth token, or the operator token, may have open.',
  },
};

/** The title and purpose of a setting. A setting without a title here is shown with its key. */
export const wordsOf = ({ key }: Setting): SettingWords => WORDS[key] ?? { title: key, purpose: '' };

const isRateLimit = (key: string): boolean => key.startsWith('rateLimit');

/** The value of a setting as text. */
export const valueText = ({ key }: Setting, value: Setting['value']): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  if (value === '') return key === 'database' ? 'SQLite in the data folder' : 'none';
  if (isRateLimit(key)) return value === 0 ? 'no limit' : `${grouped(Number(value))} a minute`;
  if (key.endsWith('Percent')) return `${String(value)} %`;
  if (typeof value !== 'number' || key === 'port') return String(value);
  const unit = key.endsWith('Ms') ? ' ms' : key.endsWith('Bytes') ? ' bytes' : '';
  return `${grouped(value)}${unit}`;
};

export const sourceText = ({ source, change }: Setting): string => {
  if (source === 'default') return 'default';
  if (change === 'overridden') return `set by ${source}, which overrides the file`;
  return /^(--|GASDESK_)/.test(source) ? `set by ${source}` : 'gasdesk.json';
};
