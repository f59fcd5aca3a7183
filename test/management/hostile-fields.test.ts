import { beforeAll, describe, expect, test } from 'vitest';
import { type TestDapp, useDesk } from '../support/desk.ts';
import { type OperationCase, type PreparedDesk, address, nowhere, operationCases, prepare } from './fixtures.ts';

const desk = useDesk();
let dapp: TestDapp;
let ids: PreparedDesk;
beforeAll(async () => {
  dapp = await desk().dapp();
  ids = await prepare(desk(), dapp);
});

type Path = readonly string[];
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every field of a body: nested ones too, and the first element of a list. */
const fieldsOf = (value: unknown, path: Path = []): Path[] => {
  const children = isRecord(value) ? Object.entries(value) : Array.isArray(value) ? [['0', value[0]] as const] : [];
  return children.flatMap(([key, child]) => [[...path, key], ...fieldsOf(child, [...path, key])]);
};

/** JSON of a body in which the JSON at one path is replaced; undefined leaves the field out. */
const jsonWith = (value: unknown, [key, ...rest]: Path, json: string | undefined): string => {
  if (key === undefined) return json ?? 'null';
  const children = Object.entries(value as object).flatMap(([name, child]) => {
    if (name !== key) return [[name, JSON.stringify(child)]];
    return rest.length === 0 && json === undefined ? [] : [[name, jsonWith(child, rest, json)]];
  });
  if (Array.isArray(value)) return `[${children.map(([, text]) => text).join()}]`;
  return `{${children.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join()}}`;
};

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const nestedObjects = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

/** Text that a name may be: it is data, not markup, and is kept as it was sent. */
const oddNames = [
  `'; DROP TABLE rule; --`,
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '{{constructor.constructor("return 1")()}}',
  '__proto__',
  'constructor',
  '${7*7}',
  '../../etc/passwd',
  '\u202Egnp.exe',
  'שלום عالم',
  '😀👩‍👩‍👧',
  ' padded ',
];
const oddTexts = [...oddNames, '', ' ', '\u0000', 'a\u0000b', 'line\nbreak', '\ud800', 'a\udfff', '\ufeff'];
const hugeTexts = ['a'.repeat(1_000_000), '0x'.padEnd(200_000, '1')];

const hostile: Record<string, readonly string[]> = {
  null: ['null'],
  boolean: ['true', 'false'],
  number: ['-1', '-0', '0', '1.5', '1e308', '-1e308', '1e400', '1e-400', '9007199254740993'],
  string: [...oddTexts, ...hugeTexts].map((text) => JSON.stringify(text)),
  array: ['[]', '[null]', '[[]]', '["a","b"]', `[${'null,'.repeat(20_000)}0]`, nested(30), nested(65), nested(100_000)],
  object: [
    '{}',
    '{"a":1}',
    '{"__proto__":{"type":"HYBRID"}}',
    '{"constructor":{"prototype":{"a":1}}}',
    '{"toString":1,"valueOf":1,"length":1}',
    '{"source":"1"}',
    nestedObjects(30),
    nestedObjects(70),
  ],
};

/** Fields that may be left out. */
const optional = (name: string, path: Path): boolean =>
  path.includes('0') ||
  name === 'create API key' ||
  (['update spending limit', 'update rule'].includes(name) && path.length === 1) ||
  (name === 'create alert channel' && path.includes('zone')) ||
  (path.length === 1 && path[0] === 'quiet') ||
  (/^update (event webhook|alert channel)/.test(name) && path[0] === 'active') ||
  (name.startsWith('create event webhook') && path[0] === 'events') ||
  (name === 'create smart contract' && path[0] === 'whitelistedMethods');

/** True where the hostile value happens to be a good one. */
const isValid = ({ name }: OperationCase, path: Path, json: string): boolean => {
  const field = path.at(-1);
  if (field === 'name' || field === 'label') return oddNames.map((text) => JSON.stringify(text)).includes(json);
  if (field === 'activeUntil') return ['null', '-0'].includes(json) || (/^\d+$/.test(json) && Number(json) <= 8.64e15);
  if (field === 'active') return ['true', 'false'].includes(json);
  if (field === 'whitelistedMethods') return json === '[]';
  if (field === 'threshold') return name === 'update spending limit' && ['1.5'].includes(json);
  return field === 'policyData' && name === 'add wallet deployment rule' && json === '{}';
};

/** What is answered to a value of the right type that names nothing. */
const notFound: Readonly<Record<string, RegExp>> = {
  webhookId: /^Webhook not found$/,
  keyId: /^API key not found$/,
  channelId: /^Alerts are not sent to a channel with this id$/,
  paymasterId: /^Paymaster not found$/,
  chainId: /^Chain ID not supported$/,
  version: /^Paymaster version not supported$/,
  signature: /^Invalid signature$/,
  whitelistedMethods: /^Unknown method: /,
};

const TOO_DEEP = 'The request is nested deeper than 64 levels';

const send = (operation: OperationCase, body: string) =>
  desk().manage(operation.method, operation.path, { headers: dapp.credentials, body });

const expectError = async (operation: OperationCase, path: Path, body: string): Promise<void> => {
  const { statusCode, message } = await send(operation, body);
  const field = path.filter((key) => key !== '0').at(-1) ?? '';
  const names = new RegExp(
    `^(${path.includes('cycleDuration') ? 'cycleDuration|' : ''}(?:quiet[.])?${field})\\b.* (must|should) `,
  );
  const told = names.test(message) || notFound[field]?.test(message) === true || message === TOO_DEEP;
  // An object of the right type: what is wrong is inside it.
  const inside =
    /^(?!body\b)[\w.]+ (must|should) /.test(message) && ['policyData', 'cycleDuration', 'quiet'].includes(field);
  const sent = `${operation.name} ${path.join('.')} ${body.slice(0, 300)} → ${message.slice(0, 300)}`;
  expect([400, 404], sent).toContain(statusCode);
  expect(told || inside, `names the field: ${sent}`).toBe(true);
  expect(message.length, sent).toBeLessThan(400);
};

const current = (name: string): OperationCase => operationCases(ids).find((one) => one.name === name)!;
const withBody = operationCases(nowhere).filter(({ body }) => body);
const targets = withBody.flatMap(({ name, body }) =>
  fieldsOf(body).map((path) => ({ name, field: path.join('.'), path })),
);

describe.each(targets)('$name: $field', ({ name, path }) => {
  test.each(Object.keys(hostile))('a hostile %s is refused by its name and leaves no trace', async (type) => {
    const operation = current(name);
    const before = desk().rows();
    for (const json of hostile[type]!) {
      if (!isValid(operation, path, json)) await expectError(operation, path, jsonWith(operation.body, path, json));
    }
    expect(desk().rows()).toEqual(before);
  });
});

test.each(targets.filter((target) => !optional(target.name, target.path)))(
  '$name: without $field it is refused by the name of that',
  async ({ name, path }) => {
    const operation = current(name);
    const before = desk().rows();
    await expectError(operation, path, jsonWith(operation.body, path, undefined));
    expect(desk().rows()).toEqual(before);
  },
);

describe.each(withBody)('$name', ({ name, body: sample }) => {
  const objects: Path[] = [
    [],
    ...fieldsOf(sample).filter((path) =>
      isRecord(path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], sample)),
    ),
  ];

  test('a field it does not know is refused by its name, at every level', async () => {
    const operation = current(name);
    const before = desk().rows();
    for (const path of objects) {
      const object = path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], operation.body);
      for (const key of [
        'extra',
        '__proto__',
        'constructor',
        'toString',
        'hasOwnProperty',
        'Name',
        'a.b',
        '',
        'k'.repeat(5000),
      ]) {
        const json = JSON.stringify(object).replace(
          /^\{/,
          `{${JSON.stringify(key)}:{"x":1}${Object.keys(object as object).length === 0 ? '' : ','}`,
        );
        const { statusCode, message } = await send(operation, jsonWith(operation.body, path, json));
        expect(statusCode, message).toBe(400);
        expect(message).toContain(key === '' ? '""' : key.slice(0, 50));
        expect(message).toMatch(/ should not exist$/);
      }
    }
    expect(desk().rows()).toEqual(before);
  });

  test('a body that is no object is refused', async () => {
    const operation = current(name);
    const before = desk().rows();
    for (const body of ['null', '[]', '7', '"text"', 'true', nested(100_000), `[${JSON.stringify(operation.body)}]`]) {
      const { statusCode, message } = await send(operation, body);
      expect([statusCode, message]).toEqual([400, body.length > 100_000 ? TOO_DEEP : 'body must be an object']);
    }
    expect(desk().rows()).toEqual(before);
  });
});

test('names are data: whatever can be printed is kept and read back to the letter', async () => {
  const { credentials: headers } = await desk().dapp();
  const post = (path: string, body: unknown) => desk().manage('POST', path, { headers, body });
  const names = async (path: string) =>
    ((await desk().manage('GET', path, { headers })).data as { name: string }[]).map(({ name }) => name);
  for (const [index, name] of oddNames.entries()) {
    const answers = [
      await post('/paymaster', { name, type: 'HYBRID', chainId: 31337, version: '1.1.0' }),
      await post('/smart-contract', { name, address: address(1000 + index), abi: '[]' }),
      await post('/paymaster-policy', { name, policyType: 'WALLET_DEPLOYMENT', policyData: {} }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
  }
  expect((await names('/paymaster')).slice(1)).toEqual(oddNames);
  expect(await names('/smart-contract')).toEqual(oddNames);
  expect((await names('/paymaster-policy')).slice(0, oddNames.length)).toEqual(oddNames);
});

test('of a key sent twice the last counts, for the check and for what is kept', async () => {
  const { credentials: headers } = await desk().dapp();
  const create = (name: string, thresholds: string) => {
    const data = `{"type":"PAYMASTER","cycleDuration":{"value":1,"unit":"day"},${thresholds},"thresholdType":"NATIVE_ASSET"}`;
    const body = `{"name":7,"name":"${name}","policyType":"PAYMASTER_SA_LIMIT","policyData":${data}}`;
    return desk().send('POST', '/api/v2/public/sdk/paymaster-policy', { headers, body });
  };
  expect((await create('a', '"threshold":1,"threshold":2.000000000000000001')).text).toContain(
    '"threshold":2.000000000000000001,',
  );
  expect((await create('b', '"threshold":{"threshold":1},"threshold":3.0')).text).toContain('"threshold":3,');
  expect((await create('c', '"threshold":3,"threshold":{"threshold":1}')).body).toMatchObject({
    statusCode: 400,
    message: 'threshold must be a positive number',
  });
  expect((await create('d', '"threshold":3,"threshold":"4"')).body).toMatchObject({
    statusCode: 400,
    message: 'threshold must be a positive number',
  });
});

test('nothing of all that was a bug: no request failed for a reason the desk does not know', () => {
  expect(desk().log.filter((line) => line.includes('request.failed'))).toEqual([]);
});
