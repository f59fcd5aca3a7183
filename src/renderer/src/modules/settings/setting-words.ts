import type { ProcedureOutput } from '../../../../api/index.ts';
import { grouped } from '../../../../shared/words/amount.ts';

/** A setting of the service. */
export type Setting = ProcedureOutput<'config.set'>;

/** How a setting is called, and what it is for. */
interface SettingWords {
  readonly title: string;
  readonly purpose: string;
}

const WORDS: Readonly<Record<string, SettingWords>> = {
  rateLimitPerKey: {
    title: 'Requests per API key',
    purpose: 'Requests per minute that one DApp may make, all its users together.',
  },
  rateLimitPerSender: {
    title: 'Requests per sender',
    purpose: 'Requests per minute for one smart account of a DApp.',
  },
  rateLimitPerIp: {
    title: 'Requests per IP address',
    purpose: 'Requests per minute from one address. This machine is not bound.',
  },
  outstandingSharePercent: {
    title: 'Share of a gas tank',
    purpose:
      'Percent of a shared tank that one sender, or one DApp, may hold for operations not mined yet. 100 removes the limit.',
  },
  showReasons: {
    title: 'Return denial reasons to DApps',
    purpose: 'Whether DApps are told why an operation is not sponsored. You see it here in any case.',
  },
  webhookTimeoutMs: {
    title: 'Time-out of webhooks',
    purpose: 'Milliseconds until a webhook that has not answered denies the operation.',
  },
  webhookAllowPrivate: {
    title: 'Webhooks at private addresses',
    purpose: 'Whether webhooks may be on this machine or in its private network. Cloud metadata is never called.',
  },
  webhookMaxConcurrent: {
    title: 'Calls of a webhook at once',
    purpose: 'More than that wait for their turn.',
  },
  host: { title: 'Address to listen at', purpose: 'Only this machine reaches 127.0.0.1.' },
  port: { title: 'Port', purpose: '0 takes any free one.' },
  allowedHosts: { title: 'Host names', purpose: 'Names by which the service may be asked for, besides addresses.' },
  logLevel: { title: 'Log level', purpose: 'The least important lines that are written.' },
  chainTimeoutMs: { title: 'Time-out of nodes', purpose: 'Milliseconds.' },
  requestTimeoutMs: { title: 'Time for a request to arrive', purpose: 'Milliseconds.' },
  settlementPollMs: { title: 'Settlement polling interval', purpose: 'Milliseconds.' },
  bodyLimitBytes: { title: 'Largest request', purpose: 'Bytes, for the management interface and the console.' },
  rpcBodyLimitBytes: { title: 'Largest request of a DApp', purpose: 'Bytes, for the JSON-RPC interface.' },
  maxConnections: {
    title: 'Connections at once',
    purpose: 'Beyond that, Gasdesk ends the connection that has waited longest for its client.',
  },
};

/** How a setting is called; one that has no words goes by its key. */
export const wordsOf = ({ key }: Setting): SettingWords => WORDS[key] ?? { title: key, purpose: '' };

const isRateLimit = (key: string): boolean => key.startsWith('rateLimit');

/** The value of a setting as people say it. */
export const valueText = ({ key }: Setting, value: Setting['value']): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  if (isRateLimit(key)) return value === 0 ? 'no limit' : `${grouped(Number(value))} a minute`;
  if (key.endsWith('Percent')) return `${String(value)} %`;
  return key.endsWith('Ms') ? `${String(value)} ms` : String(value);
};

/** Where the value comes from, and what that means for changing it. */
export const sourceText = ({ source, change }: Setting): string => {
  if (source === 'default') return 'default';
  if (change === 'overridden') return `set by ${source}, which wins over the file`;
  return /^(--|GASDESK_)/.test(source) ? `set by ${source}` : 'gasdesk.json';
};
