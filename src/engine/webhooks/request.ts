import { JsonNumber } from '../../shared/schema/decimal.ts';
import { hideCredentials } from '../../core/webhooks/hidden-credentials.ts';
import { toQuantity } from '../../shared/schema/quantity.ts';
import type { Secret } from '../base/secret.ts';
import { signatureHeaders, signedContent } from './sign.ts';

/** A call to a registered webhook or, with `userOp`, to the webhook of a WEBHOOK rule. */
export interface WebhookRequest {
  /** Id of the registered webhook or of the rule. */
  readonly webhookId: string;
  /** The DApp that owns the webhook, for the limits on DNS look-ups; absent for the operator's own webhook. */
  readonly dapp?: string;
  /** An http or https URL. Its user info is sent as Basic authorization. */
  readonly url: string;
  /** Always POST for the webhook of a rule. */
  readonly method: 'GET' | 'POST';
  /** Secret that signs the call: `whsec_…`. */
  readonly secret: Secret<string>;
  readonly decisionId: string;
  /** From the options of the sponsorship request. Default: an empty object. */
  readonly webhookData?: Readonly<Record<string, unknown>> | null | undefined;
  /** The user operation with bigint gas and fees, which are sent as `0x` hex. */
  readonly userOp?: object;
  /** JSON text: the whole body of a call that asks for no verdict. Absent: the body consists of the fields above. */
  readonly body?: string;
  /** True for a dry run, which the header `gasdesk-preview: true` marks. */
  readonly preview?: boolean;
  /** True if an outage of the receiver allows the operation instead of denying it. */
  readonly failOpen?: boolean;
}

export interface OutgoingRequest {
  /** The URL without user name and password. */
  readonly url: URL;
  /** The URL for the record, in which possible keys in the operator's own URL are hidden. */
  readonly shownUrl: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The HTTP request of a call (behaviour 5.10), signed at `now` (epoch ms). */
export const outgoingRequest = (call: WebhookRequest, now: number): OutgoingRequest => {
  const { method, secret, decisionId, preview } = call;
  const own = new URL(call.url);
  const body = method === 'GET' ? '' : (call.body ?? postBody(call));
  const authorization = basicAuthorization(own);
  own.username = '';
  own.password = '';
  own.hash = '';
  if (method === 'GET' && own.searchParams.has('data')) own.searchParams.delete('data');
  const added = method === 'GET' ? dataQuery(own, call) : '';
  const query = own.search.slice(1);
  const url = withQuery(own, query, added);
  const content = signedContent({ method, target: url.pathname + url.search, body });
  const headers = {
    accept: 'application/json',
    'user-agent': 'Gasdesk',
    ...(method === 'POST' && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
    ...(authorization !== undefined && { authorization }),
    ...(preview && { 'gasdesk-preview': 'true' }),
    ...signatureHeaders({ secret, id: decisionId, content, now }),
  };
  const shown = hideCredentials(withQuery(own, query).href);
  const shownUrl = added === '' ? shown : `${shown}${shown.includes('?') ? '&' : '?'}${added}`;
  return { url, shownUrl, method, headers, body };
};

const postBody = ({ webhookData, userOp }: WebhookRequest): string =>
  JSON.stringify({ data: webhookData ?? {}, userOp }, (_key, value: unknown) =>
    typeof value === 'bigint' ? toQuantity(value) : value,
  );

/**
 * `data` and the scalar members of `webhookData.params`, as a query. They come from the DApp's users, so they must not
 * repeat, and thus override, a parameter of the operator's URL.
 */
const dataQuery = (own: URL, { webhookData }: WebhookRequest): string => {
  const added = new URLSearchParams({ data: JSON.stringify(webhookData ?? {}) });
  for (const [name, value] of scalars(webhookData?.['params'])) {
    if (name !== 'data' && !own.searchParams.has(name)) added.append(name, String(value));
  }
  return added.toString();
};

/** Adds queries to a URL. They are appended as text, so that the operator's part does not change. */
const withQuery = (own: URL, ...queries: readonly string[]): URL => {
  const url = new URL(own);
  url.search = queries.filter((query) => query !== '').join('&');
  return url;
};

const scalars = (params: unknown): [string, string | number | boolean][] => {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return [];
  return Object.entries(params)
    .map(([name, value]): [string, unknown] => [name, value instanceof JsonNumber ? value.source : value])
    .filter((entry): entry is [string, string | number | boolean] =>
      ['string', 'number', 'boolean'].includes(typeof entry[1]),
    );
};

const basicAuthorization = ({ username, password }: URL): string | undefined => {
  if (username === '' && password === '') return undefined;
  return `Basic ${Buffer.from(`${percentDecoded(username)}:${percentDecoded(password)}`).toString('base64')}`;
};

/** Decodes a URL's user info. A percent sign without hex digits is legal there and is kept. */
const percentDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
