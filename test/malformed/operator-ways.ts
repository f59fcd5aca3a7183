import { z } from 'zod';
import { type ProcedureName, procedures } from '../../src/api/index.ts';
import { MANAGEMENT_PREFIX } from '../../src/engine/management/operations.ts';
import { operationCases } from '../management/fixtures.ts';
import { type Draw, drawOf } from '../support/draw.ts';
import { checkAnswer } from './answers.ts';
import type { Json } from './mutate.ts';
import { type HttpInput, mutateRequest, sender, showRequest } from './requests.ts';
import { type Way, way } from './way.ts';
import type { Connections } from './wire.ts';
import { OUTSIDE, type Prepared, SPARE } from './world.ts';

interface OperatorContext {
  readonly prepared: Prepared;
  readonly connections: Connections;
  readonly operatorToken: string;
}

/** What malformed management requests act on. */
const thingsOf = async ({ prepared: { spare, authToken }, connections }: OperatorContext) => {
  const headers = { authtoken: authToken, apikey: spare.apiKey, 'content-type': 'application/json' };
  const post = async (path: string, json: Json): Promise<Readonly<Record<string, string>>> => {
    const send = sender(connections, []);
    let data: Record<string, string> = {};
    await send({ method: 'POST', path: MANAGEMENT_PREFIX + path, headers, body: { json } }, ({ body }) => {
      ({ data = {} } = JSON.parse(body) as { data?: Record<string, string> });
    });
    return data;
  };
  const hook = { webhookUrl: 'https://127.0.0.1:9/', requestType: 'POST' };
  const policyData = {
    type: 'PAYMASTER',
    cycleDuration: { value: 1, unit: 'day' },
    threshold: 5,
    thresholdType: 'COUNT',
  };
  const { webhookId = '' } = await post('/webhook', hook);
  const { _id: limitId = '' } = await post('/paymaster-policy', {
    name: 'Limit',
    policyType: 'PAYMASTER_SA_LIMIT',
    policyData,
  });
  const { keyId = '' } = await post('/api-key', {});
  const events = { url: 'https://127.0.0.1:9/', events: ['operation.denied'] };
  const { webhookId: eventWebhookId = '' } = await post('/event-webhook', events);
  const { webhookId: accountEventWebhookId = '' } = await post('/account/event-webhook', events);
  const { channelId = '' } = await post('/account/alert', { kind: 'slack', url: 'https://127.0.0.1:9/' });
  return {
    paymasterId: spare.paymasterId,
    webhookId,
    limitId,
    keyId,
    eventWebhookId,
    accountEventWebhookId,
    channelId,
    requestSeq: 1,
  };
};

const localUrls = (json: Json): Json =>
  JSON.parse(JSON.stringify(json).replaceAll('https://example.com', 'https://127.0.0.1:9')) as Json;

const managementWay = (context: OperatorContext, things: Awaited<ReturnType<typeof thingsOf>>): Way<HttpInput> => {
  const { prepared, connections } = context;
  const headers = { authtoken: prepared.authToken, apikey: prepared.spare.apiKey, 'content-type': 'application/json' };
  const send = sender(connections, prepared.secrets);
  const seeds = operationCases(things)
    // Test alerts go to mail servers, which are looked up.
    .filter(({ name }) => name !== 'test alert channel')
    .map(({ method, path, body }): HttpInput => ({
      method,
      path: MANAGEMENT_PREFIX + path,
      headers,
      ...(body !== undefined && {
        body: { json: localUrls(body.chainId === undefined ? body : { ...body, chainId: SPARE }) },
      }),
    }));
  return {
    name: 'management interface',
    atATime: 60,
    atOnce: 4,
    seeds,
    mutate: mutateRequest,
    play: (input) => send(input, checkAnswer),
    show: showRequest,
  };
};

type Schema = Readonly<Record<string, unknown>>;

/** Members that a JSON schema requires, and some of the others. */
const membersOf = (schema: Schema, draw: Draw, known: ReadonlyMap<string, Json>): Json => {
  const required = (schema['required'] ?? []) as readonly string[];
  const members = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
  const kept = members.filter(([key]) => required.includes(key) || draw.chance(50));
  return Object.fromEntries(kept.map(([key, member]) => [key, valueOf(member, draw, known, key)]));
};

const TEXTS = ['a', '0x', `0x${'ab'.repeat(20)}`, '1', '1000000000000000000', 'Name', '12:00'];

/** A value that a JSON schema allows, or nearly: patterns and bounds are not looked at. @param known values, by name */
const valueOf = (schema: Schema, draw: Draw, known: ReadonlyMap<string, Json>, name = ''): Json => {
  if (known.has(name)) return known.get(name);
  const some = (schema['anyOf'] ?? schema['oneOf'] ?? schema['allOf']) as Schema[] | undefined;
  if (some !== undefined) return valueOf(draw.pick(some), draw, known, name);
  if (schema['type'] === 'object') return membersOf(schema, draw, known);
  if (Array.isArray(schema['enum'])) return draw.pick(schema['enum'] as Json[]);
  switch (schema['type']) {
    case 'array':
      return Array.from({ length: draw.below(3) }, () => valueOf((schema['items'] ?? {}) as Schema, draw, known));
    case 'integer':
    case 'number':
      return draw.pick([0, 1, 60, 300, 1_000, SPARE]);
    case 'boolean':
      return draw.chance(50);
    case 'null':
      return null;
    default:
      return schema['const'] ?? draw.pick(TEXTS);
  }
};

/**
 * Procedures that are not called: they stop the desk for all other requests, wait for someone, or take seconds of scrypt.
 */
const NOT_CALLED: ReadonlySet<ProcedureName> = new Set([
  ...([
    'vault.open',
    'vault.setPassphrase',
    'system.pause',
    'config.set',
    'decisions.follow',
    'backups.create',
  ] as const),
  ...(['keystores.create', 'keystores.import', 'keystores.export', 'keystores.remove'] as const),
  ...(['setup.testOperation', 'transactions.send', 'alerts.test', 'notifications.test', 'policies.try'] as const),
]);

const VARIANTS = 3;

const consoleWay = (
  { prepared, connections, operatorToken }: OperatorContext,
  things: Awaited<ReturnType<typeof thingsOf>>,
): Way<HttpInput> => {
  const url = 'http://127.0.0.1:9/';
  const known = new Map<string, Json>([
    ...Object.entries({
      ...things,
      accountId: prepared.accountId,
      chainId: SPARE,
      apiKey: prepared.spare.apiKey,
      ruleId: things.limitId,
    }),
    ...['url', 'rpc', 'bundler', 'webhookUrl'].map((name): [string, Json] => [name, url]),
    ['after', 0],
    ['tokenId', 'none'],
    ['host', '127.0.0.1'],
  ]);
  const headers = { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' };
  const names = (Object.keys(procedures) as ProcedureName[]).filter((name) => !NOT_CALLED.has(name));
  const seeds = names.flatMap((name) =>
    Array.from({ length: VARIANTS }, (_, index): HttpInput => {
      const schema = z.toJSONSchema(procedures[name].input, { io: 'input', unrepresentable: 'any' });
      const input = valueOf(schema, drawOf(`${name} ${index}`), known);
      return { method: 'POST', path: '/console/call', headers, body: { json: { name, input } } };
    }),
  );
  // The operator may read all but what only the vault knows.
  const [passphrase = '', signingKey = ''] = prepared.secrets;
  const send = sender(connections, [passphrase, signingKey]);
  return {
    name: 'calls of the console',
    atATime: 80,
    atOnce: 4,
    seeds,
    mutate(input, draw) {
      const mutated = mutateRequest(input, draw);
      const { name } = Object('json' in Object(mutated.body) ? (mutated.body as { json: Json }).json : {}) as {
        name?: unknown;
      };
      return NOT_CALLED.has(name as ProcedureName) || showRequest(mutated).includes('31337') ? input : mutated;
    },
    play: (input) => send(input, checkAnswer),
    show: showRequest,
  };
};

/** Pages, descriptions, streams and measurements: what is read without saying much. */
const pagesWay = ({ prepared, connections, operatorToken }: OperatorContext): Way<HttpInput> => {
  const send = sender(connections, prepared.secrets);
  const get = (path: string, headers: HttpInput['headers'] = {}): HttpInput => ({ method: 'GET', path, headers });
  const bearer = { authorization: `Bearer ${operatorToken}` };
  return {
    name: 'pages and streams',
    atATime: 50,
    atOnce: 4,
    seeds: [
      ...['/console', '/console/', '/console/index.html', '/console/assets/index-abcdefgh.js', '/console/assets'].map(
        (path) => get(path),
      ),
      ...[
        '/console/../outside.txt',
        '/console/..%2foutside.txt',
        '/openapi.json',
        '/openrpc.json',
        '/healthz',
        '/readyz',
      ].map((path) => get(path)),
      get('/metrics', { authorization: 'Bearer x', 'x-forwarded-for': '1.2.3.4' }),
      get('/console/events?after=0', bearer),
      get('/console/events', { ...bearer, 'last-event-id': '5' }),
      get('/events?after=1', { authtoken: prepared.authToken }),
      get('/events', { authtoken: prepared.authToken, 'last-event-id': '7' }),
      { ...get('/console/call', bearer), method: 'POST', body: { json: { name: 'system.info', input: {} } } },
    ],
    mutate: mutateRequest,
    async play(input) {
      await send(input, (answer) => {
        if (answer.body.includes(OUTSIDE)) throw new Error('A file outside of the console was sent');
        checkAnswer(answer);
      });
    },
    show: showRequest,
  };
};

export const operatorWays = async (context: OperatorContext): Promise<Way[]> => {
  const things = await thingsOf(context);
  return [way(managementWay(context, things)), way(consoleWay(context, things)), way(pagesWay(context))];
};
