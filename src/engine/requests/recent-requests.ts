import type { ProcedureOutput } from '../../api/index.ts';
import { cutForRecord } from '../../core/json/cut-for-record.ts';
import type { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../base/clock.ts';
import { redacted, redactedText } from './redact.ts';

type Row = ProcedureOutput<'requests.list'>['requests'][number];
type Cause = ProcedureOutput<'requests.errors'>[number];

export interface RequestCaller {
  /** NaN if the request names no chain. */
  readonly chainId: number;
  /** Absent without a valid API key. */
  readonly paymasterId?: string | null | undefined;
}

/** What a request for a signature led to. */
export interface Decided {
  /** Absent in the commit phase of accounts that sign first, which stores only denials. */
  readonly decisionId?: string | undefined;
  readonly sponsored: boolean;
  readonly reason?: { readonly code: string; readonly message: string } | undefined;
}

export interface AnsweredRequest {
  /** Undefined if the request could not be read that far. */
  readonly method?: string | undefined;
  readonly status: number;
  /** The request as it was received; undefined if it was not read. */
  readonly request?: unknown;
  readonly answer?: unknown;
  readonly error?: EngineError | undefined;
  readonly decided?: Decided | undefined;
}

interface Kept extends Row {
  readonly request: unknown;
  readonly answer: unknown;
}

interface Count {
  count: number;
  readonly since: number;
  last: number;
  /** Of the newest one. Kept for each DApp, because a message may repeat what a client has written. */
  message: string | null;
}

/** By DApp; the empty name counts requests without a valid API key. */
type Counts = Map<string, Count>;

/**
 * The last JSON-RPC requests, in memory only, for the operator: also those that were refused before they could become
 * decisions.
 */
export interface RecentRequests {
  /** Starts a request. @returns a function that keeps the request, to be called when it is answered */
  start(caller: RequestCaller): (answered: AnsweredRequest) => void;
  /** Newest first. */
  list(query: RequestQuery): { readonly last: number; readonly requests: readonly Row[] };
  /** A request with its bodies. Undefined if it is no longer kept. */
  show(seq: number): (Row & { readonly request: string | null; readonly answer: string | null }) | undefined;
  /** Denials and errors by their code, the newest first. */
  errors(isMeant: (paymasterId: string | null) => boolean): readonly Cause[];
}

export interface RequestQuery {
  readonly isMeant: (paymasterId: string | null) => boolean;
  /** Only requests after this seq. */
  readonly after: number;
  readonly limit: number;
}

const MAX_REQUESTS = 200;
/** Requests that reached no method have a ring of their own, so that a flood of them does not displace the others. */
const MAX_REFUSED = 50;
const MAX_METHOD_LENGTH = 100;
const MAX_MESSAGE_LENGTH = 500;

const createRing = <T>(size: number) => {
  const items: T[] = [];
  let made = 0;
  return {
    items,
    add(item: T) {
      items[made % size] = item;
      made += 1;
    },
  };
};

const rowOf = ({ request: _request, answer: _answer, ...row }: Kept): Row => row;

const outcomeOf = ({ error, decided }: AnsweredRequest): Row['outcome'] => {
  if (decided !== undefined) return decided.sponsored ? 'sponsored' : 'denied';
  if (error === undefined) return 'answered';
  return error.code === 'NOT_SPONSORED' ? 'denied' : 'error';
};

/** The code and the message of a denial or an error. */
const causeOf = ({ error, decided }: AnsweredRequest): { code: string; message: string } | undefined => {
  if (decided?.reason !== undefined) return decided.reason;
  if (error === undefined) return undefined;
  const { code } = error.data;
  return {
    code: error.code === 'NOT_SPONSORED' && typeof code === 'string' ? code : error.code,
    message: error.message,
  };
};

const NO_CONTENT = { message: null, request: undefined, answer: undefined };

/** What the client has written, and what was answered, without secrets. */
const contentOf = (
  { request, answer }: AnsweredRequest,
  cause: ReturnType<typeof causeOf>,
): Pick<Kept, 'message' | 'request' | 'answer'> => ({
  message: cause === undefined ? null : redactedText(cause.message).slice(0, MAX_MESSAGE_LENGTH),
  request: cutForRecord(redacted(request)),
  answer: cutForRecord(redacted(answer)),
});

const jsonOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value, null, 2));

export interface RecentRequestsOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** The setting `blankWebhookData`, read for each request. If true, nothing that the client has written is kept. */
  readonly isBlanked: () => boolean;
}

export const createRecentRequests = ({ clock, isBlanked }: RecentRequestsOptions): RecentRequests => {
  const answered = createRing<Kept>(MAX_REQUESTS);
  const refused = createRing<Kept>(MAX_REFUSED);
  const causes = new Map<string, Counts>();
  let last = 0;

  const count = ({ code, paymasterId, at, message }: Row): void => {
    if (code === null) return;
    const dapps: Counts = causes.get(code) ?? new Map<string, Count>();
    causes.set(code, dapps);
    const dapp = paymasterId ?? '';
    const own = dapps.get(dapp) ?? { count: 0, since: at, last: at, message };
    // The newest comes last.
    dapps.delete(dapp);
    dapps.set(dapp, own);
    own.count += 1;
    own.last = at;
    own.message = message;
  };

  const all = (): Kept[] => [...answered.items, ...refused.items].sort((a, b) => b.seq - a.seq);

  return {
    start({ chainId, paymasterId = null }) {
      const at = clock.now();
      const start = clock.monotonic();
      return (one) => {
        const cause = causeOf(one);
        last += 1;
        const kept: Kept = {
          seq: last,
          at,
          ms: Math.round((clock.monotonic() - start) * 10) / 10,
          chainId: Number.isNaN(chainId) ? null : chainId,
          paymasterId,
          method: one.method === undefined ? null : redactedText(one.method).slice(0, MAX_METHOD_LENGTH),
          status: one.status,
          outcome: outcomeOf(one),
          code: cause?.code ?? null,
          rpcCode: one.error?.rpcCode ?? null,
          decisionId: one.decided?.decisionId ?? null,
          ...(isBlanked() ? NO_CONTENT : contentOf(one, cause)),
        };
        const isRefused = kept.paymasterId === null || kept.method === null || kept.code === 'RATE_LIMITED';
        (isRefused ? refused : answered).add(kept);
        count(kept);
      };
    },
    list({ isMeant, after, limit }) {
      // After a restart, the numbers begin again.
      const from = after > last ? 0 : after;
      const requests = all().filter(({ seq, paymasterId }) => seq > from && isMeant(paymasterId));
      return { last, requests: requests.slice(0, limit).map(rowOf) };
    },
    show(wanted) {
      const kept = all().find(({ seq }) => seq === wanted);
      return kept && { ...rowOf(kept), request: jsonOf(kept.request), answer: jsonOf(kept.answer) };
    },
    errors: (isMeant) =>
      [...causes]
        .flatMap(([code, dapps]): Cause[] => {
          const counts = [...dapps].filter(([dapp]) => isMeant(dapp === '' ? null : dapp));
          if (counts.length === 0) return [];
          const each = counts.map(([, own]) => own);
          return [
            {
              code,
              message: each.at(-1)?.message ?? null,
              count: each.reduce((sum, own) => sum + own.count, 0),
              dapps: counts.filter(([dapp]) => dapp !== '').length,
              since: Math.min(...each.map(({ since }) => since)),
              last: Math.max(...each.map((own) => own.last)),
            },
          ];
        })
        .sort((a, b) => b.last - a.last),
  };
};
