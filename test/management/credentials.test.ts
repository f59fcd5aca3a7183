import { beforeAll, describe, expect, test } from 'vitest';
import { openApiDocument } from '../../src/engine/description/openapi.ts';
import { type Credentials, type TestDapp, useDesk } from '../support/desk.ts';
import { type OperationCase, nowhere, operationCases, prepare } from './fixtures.ts';

const desk = useDesk();

const error = ([statusCode, message]: readonly [number, string]) => ({ statusCode, message });

const ask = ({ method, path, body }: OperationCase, headers: Record<string, string>) =>
  desk().manage(method, path, { headers, ...(body !== undefined && { body }) });

test('the table of these tests has every operation of the interface', () => {
  const prefix = '/api/v2/public/sdk';
  const described = Object.entries(openApiDocument()['paths'] as Record<string, object>).flatMap(([path, methods]) =>
    path.startsWith(prefix)
      ? Object.keys(methods).map((method) => `${method} ${path.slice(prefix.length).replace(/\{\w+\}/, '*')}`)
      : [],
  );
  const tested = operationCases(nowhere).map(
    ({ method, path }) => `${method.toLowerCase()} ${path.replace(/\/[a-z\d](?=\/|$)/, '/*')}`,
  );
  expect(new Set(tested)).toEqual(new Set(described));
});

/** Every refusal is tried on one DApp, since none leaves a trace on it. */
let prepared: TestDapp;
let operations: readonly OperationCase[];
beforeAll(async () => {
  prepared = await desk().dapp();
  operations = operationCases(await prepare(desk(), prepared));
});

describe.each(operationCases(nowhere))('$name', ({ name, errors }) => {
  /** The operation on a DApp where it would succeed, so that nothing but the credentials is at fault. */
  const setUp = (): { operation: OperationCase; dapp: TestDapp } => ({
    operation: operations.find((one) => one.name === name)!,
    dapp: prepared,
  });
  const refusedWithoutTrace = async (
    operation: OperationCase,
    headers: Record<string, string>,
    expected: readonly [number, string],
  ) => {
    const before = desk().rows();
    expect(await ask(operation, headers)).toEqual(error(expected));
    expect(desk().rows()).toEqual(before);
  };

  test('is refused without its headers, and says which', async () => {
    const { operation, dapp } = setUp();
    const { authToken, apiKey } = dapp.credentials;
    const both = [401, 'Auth token and API key is required in the headers'] as const;
    await refusedWithoutTrace(operation, {}, errors.missing);
    await refusedWithoutTrace(operation, { apiKey }, errors.missing);
    await refusedWithoutTrace(operation, { authToken: '', apiKey }, errors.missing);
    if (errors.apiKey) await refusedWithoutTrace(operation, { authToken }, both);
  });

  test('is refused to an unknown token, and to a revoked one', async () => {
    const { operation, dapp } = setUp();
    const { apiKey } = dapp.credentials;
    const strangers = ['gd_nobody', `gd_${'A'.repeat(43)}`, "' OR 1=1 --", '__proto__', 'x'.repeat(8000)];
    for (const authToken of strangers) await refusedWithoutTrace(operation, { authToken, apiKey }, errors.authToken);

    const revoked = await desk().authToken(await accountOf(dapp));
    const token = (await desk().service.run('authTokens.list', { accountId: (await accountOf(dapp))! })).at(-1);
    await desk().service.run('authTokens.revoke', { tokenId: token!.tokenId });
    await refusedWithoutTrace(operation, { authToken: revoked, apiKey }, errors.authToken);
  });

  test('is refused to an unknown key, and to the key of another account', async () => {
    const { operation, dapp } = setUp();
    const other = await desk().dapp();
    const { authToken } = dapp.credentials;
    if (!errors.apiKey) {
      // An apiKey that is sent along is not looked at.
      const mine = await desk().dapp();
      const allowed = operationCases(await prepare(desk(), mine)).find((one) => one.name === name)!;
      const headers: Credentials = { ...mine.credentials, apiKey: other.credentials.apiKey };
      expect((await ask(allowed, headers)).statusCode).toBe(200);
      return;
    }
    for (const apiKey of ['nobody', "' OR 1=1 --", other.credentials.apiKey, `${dapp.credentials.apiKey}, x`]) {
      await refusedWithoutTrace(operation, { authToken, apiKey }, errors.apiKey);
    }
    await refusedWithoutTrace(
      operation,
      { authToken: other.credentials.authToken, apiKey: dapp.credentials.apiKey },
      errors.apiKey,
    );
  });
});

const accountOf = async ({ paymasterId }: TestDapp): Promise<string | undefined> =>
  (await desk().service.run('paymasters.list', {})).find((one) => one.paymasterId === paymasterId)?.accountId;

test('two tokens of one account see the same DApps; revoking one leaves the other', async () => {
  const dapp = await desk().dapp();
  const second = await desk().authToken(await accountOf(dapp));
  const list = (authToken: string) => desk().manage('GET', '/paymaster', { headers: { authToken } });
  expect(await list(second)).toEqual(await list(dapp.credentials.authToken));
  const [first] = await desk().service.run('authTokens.list', { accountId: (await accountOf(dapp))! });
  await desk().service.run('authTokens.revoke', { tokenId: first!.tokenId });
  expect((await list(dapp.credentials.authToken)).statusCode).toBe(401);
  expect((await list(second)).statusCode).toBe(200);
});

test('the credentials of an account are in no line of the log', async () => {
  const { credentials } = await desk().dapp();
  await desk().send('POST', `/api/v1/31337/${credentials.apiKey}`, { headers: credentials, body: {} });
  await desk().manage('GET', `/funding-message/${credentials.apiKey}`, { headers: credentials });
  const log = desk().log.join('');
  expect(log).toContain('http.request');
  for (const secret of Object.values(credentials)) expect(log).not.toContain(secret);
});
