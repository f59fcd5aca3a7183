import { JsonNumber } from '../../shared/schema/decimal.ts';
import { hideCredentials } from '../../core/webhooks/hidden-credentials.ts';
import { toQuantity } from '../../shared/schema/quantity.ts';
import type { Secret } from '../base/secret.ts';
import { signatureHeaders, signedContent } from './sign.ts';

/** A call to make: to a registered webhook, or with `userOp` by a rule of type WEBHOOK. */
export interface WebhookRequest {
  /** Id of the registered webhook or of the rule. */
  readonly webhookId: string;
  /** The DApp whose webhook it is; absent: the operator's own. Look-ups of host names are counted by it. */
  readonly dapp?: string;
  /** http or https; user info in it is sent as Basic authorization. */
  readonly url: string;
  /** A rule always posts. */
  readonly method: 'GET' | 'POST';
  /** Signs the call: `whsec_…`. */
  readonly secret: Secret<string>;
  readonly decisionId: string;
  /** From the sponsorship options; where there is none, an empty object is sent. */
  readonly webhookData?: Readonly<Record<string, unknown>> | null | undefined;
  /** The user operation, gas and fees as bigint: sent as `0x` hex. */
  readonly userOp?: object;
  /** A dry run: the receiver is told by the header `gasdesk-preview: true`. */
  readonly preview?: boolean;
  /** Outages of the receiver pass instead of denying. */
  readonly failOpen?: boolean;
}

/** An HTTP request as it goes out. */
export interface OutgoingRequest {
  /** Without user info. */
  readonly url: URL;
  /** The same for the record: what may be a key in the operator's own URL is hidden. */
  readonly shownUrl: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for a GET. */
  readonly body: string;
}

/** The HTTP request that makes a call (behaviour 5.10), signed for the time `now` (epoch ms). */
export const outgoingRequest = (call: WebhookRequest, now: number): OutgoingRequest => {
  const { method, secret, decisionId, preview } = call;
  const own = new URL(call.url);
  const body = method === 'GET' ? '' : postBody(call);
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
    ...(method === 'POST' && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }),
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
 * `data` and the scalar members of `webhookData.params`, as a query. The data comes from the DApp's users: it does not
 * repeat, and so cannot override, a parameter that the operator put into the URL.
 */
const dataQuery = (own: URL, { webhookData }: WebhookRequest): string => {
  const added = new URLSearchParams({ data: JSON.stringify(webhookData ?? {}) });
  for (const [name, value] of scalars(webhookData?.['params'])) {
    if (name !== 'data' && !own.searchParams.has(name)) added.append(name, String(value));
  }
  return added.toString();
};

/** A URL with another query. It is put together as text: the operator's stays as it was written. */
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

/** A lone percent sign is legal in a URL's user info and means itself. */
const percentDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
