import { expect, test } from 'vitest';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import type { RpcReply, SponsoredDapp } from '../support/engine.ts';
import { type IssuerKey, accountOf, issuerKey, startKeyPage, tokenOf } from '../support/people.ts';

const desk = useOfflineDesk();
const guarded = useOfflineDesk({ webhookAllowPrivate: false });
type Desk = ReturnType<typeof desk>;

const ISSUER = 'https://login.example';
const HOUR = 3_600;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

const create = (of: Desk, paymasterId: string, policyData: object): Promise<unknown> =>
  of.call('rules.create', { paymasterId, rule: { name: 'Signed in', policyType: 'IDENTITY', policyData } });

const oidc = { source: 'OIDC', issuer: ISSUER, audience: 'game' };

const signingIn = async (of: Desk, keys: object): Promise<SponsoredDapp> => {
  const dapp = await of.dapp();
  await create(of, dapp.paymasterId, { ...oidc, ...keys });
  return dapp;
};

let nonce = 0;
const send = async (of: Desk, dapp: SponsoredDapp, key: IssuerKey): Promise<RpcReply> => {
  nonce += 1;
  const exp = Math.floor(of.clock.now() / SECOND_MS) + HOUR;
  const idToken = await tokenOf(key, { iss: ISSUER, aud: 'game', sub: 'ada', exp });
  const op = operation(
    { to: `0x${'aa'.repeat(20)}`, data: '0x' },
    { sender: accountOf(1), nonce: `0x${nonce.toString(16)}` },
  );
  return dapp.sponsor(op, { idToken });
};

const publishing = (...keys: IssuerKey[]) => ({
  status: 200,
  body: JSON.stringify({ keys: keys.map(({ publicJwk }) => publicJwk) }),
});

test('an issuer may change its keys: a new one is found at once, and one that is withdrawn is soon refused', async () => {
  const [old, next] = [await issuerKey(), await issuerKey()];
  const page = await startKeyPage([old]);
  const dapp = await signingIn(desk(), { jwksUrl: page.url });
  const answer = async (key: IssuerKey) => codeOf(await send(desk(), dapp, key));
  expect(await answer(old)).toBe('SPONSORED');
  await desk().clock.sleep(MINUTE_MS);
  page.answer = publishing(old, next);
  expect(await answer(next)).toBe('SPONSORED');
  expect(await answer(old)).toBe('SPONSORED');
  expect(page.asked).toBe(2);
  page.answer = publishing(next);
  await desk().clock.sleep(10 * MINUTE_MS);
  // No one waits for the newer keys.
  expect(await answer(old)).toBe('SPONSORED');
  await expect.poll(() => page.asked).toBe(3);
  await expect.poll(() => answer(old)).toBe('SUBJECT_INVALID');
  expect(await answer(next)).toBe('SPONSORED');
});

test('tokens of unknown keys make the desk ask the issuer once in 30 seconds, not more', async () => {
  const known = await issuerKey();
  const page = await startKeyPage([known]);
  const dapp = await signingIn(desk(), { jwksUrl: page.url });
  expect(codeOf(await send(desk(), dapp, known))).toBe('SPONSORED');
  const strangers = await Promise.all(Array.from({ length: 20 }, () => issuerKey()));
  const codes = await Promise.all(strangers.map(async (key) => codeOf(await send(desk(), dapp, key))));
  expect(new Set(codes)).toEqual(new Set(['SUBJECT_INVALID']));
  expect(page.asked).toBe(1);
  await desk().clock.sleep(30 * SECOND_MS);
  await Promise.all(strangers.map((key) => send(desk(), dapp, key)));
  expect(page.asked).toBe(2);
});

test('while the keys cannot be had, nothing is signed, and the reason says why', async () => {
  const key = await issuerKey();
  const page = await startKeyPage([key]);
  const dapp = await signingIn(desk(), { jwksUrl: page.url });
  const refusals: [status: number, body: string, why: RegExp][] = [
    [500, '', /the HTTP status 500/],
    [302, '', /the HTTP status 302/],
    [200, 'no JSON', /no JWKS/],
    [200, '{"keys": []}', /no JWKS/],
    [200, JSON.stringify({ keys: [{ ...key.publicJwk, d: 'AAAA' }] }), /no JWKS/],
    [200, JSON.stringify({ keys: [{ kty: 'oct', k: 'AAAA' }] }), /no JWKS/],
    [200, 'x'.repeat(70_000), /too large/],
  ];
  for (const [status, body, why] of refusals) {
    page.answer = { status, body };
    const { body: reply } = await send(desk(), dapp, key);
    expect(reply.result?.reason).toMatchObject({ code: 'SUBJECT_UNVERIFIABLE', message: expect.stringMatching(why) });
    await desk().clock.sleep(30 * SECOND_MS);
  }
  await page.close();
  const { body } = await send(desk(), dapp, key);
  expect(body.result?.reason?.message).toMatch(/the connection was refused/);
});

test('keys that were read are used for a day if the issuer is away, and no longer', async () => {
  const key = await issuerKey();
  const page = await startKeyPage([key]);
  const dapp = await signingIn(desk(), { jwksUrl: page.url });
  const answer = async () => codeOf(await send(desk(), dapp, key));
  expect(await answer()).toBe('SPONSORED');
  await page.close();
  await desk().clock.sleep(23 * HOUR_MS);
  expect(await answer()).toBe('SPONSORED');
  expect(codeOf(await send(desk(), dapp, await issuerKey()))).toBe('SUBJECT_UNVERIFIABLE');
  await desk().clock.sleep(HOUR_MS);
  expect(await answer()).toBe('SUBJECT_UNVERIFIABLE');
});

test('the URL of the keys obeys the guard of webhooks', async () => {
  const key = await issuerKey();
  const page = await startKeyPage([key]);
  for (const [of, jwksUrl] of [
    [desk(), 'https://169.254.169.254/keys'],
    [desk(), 'https://[fd00:ec2::254]/keys'],
    [guarded(), page.url],
    [guarded(), page.url.replace('127.0.0.1', 'localhost')],
  ] as const) {
    const dapp = await signingIn(of, { jwksUrl });
    const { body } = await send(of, dapp, key);
    expect(body.result?.reason).toMatchObject({
      code: 'SUBJECT_UNVERIFIABLE',
      message: expect.stringMatching(/which Gasdesk does not call/),
    });
  }
  expect(page.asked).toBe(0);
});

test('a rule is refused whose keys anyone could change, or which are no public keys', async () => {
  const { paymasterId } = await desk().dapp();
  const key = await issuerKey();
  const jwks = { keys: [key.publicJwk] };
  const secret = { keys: [{ ...key.publicJwk, d: 'AAAA' }] };
  for (const [data, error] of [
    [{}, /jwks must be given, or jwksUrl/],
    [{ jwks, jwksUrl: `${ISSUER}/keys` }, /jwks should not exist with jwksUrl/],
    [{ jwksUrl: 'http://login.example/keys' }, /jwksUrl must be an https URL/],
    [{ jwksUrl: 'https://ada:pw@login.example/keys' }, /jwksUrl must be an https URL without user name/],
    [{ jwks: secret }, /jwks must be a JWKS/],
    [{ jwks: { keys: [] } }, /jwks must be a JWKS/],
    [{ jwks: { keys: [{ kty: 'RSA', n: 'AQAB', e: 'AQAB' }] } }, /jwks must be a JWKS/],
    [{ jwks: 'no JSON' }, /jwks must be a JWKS/],
  ] as const) {
    await expect(create(desk(), paymasterId, { ...oidc, ...data })).rejects.toThrow(error);
  }
  // As the JSON that an operator pastes.
  await create(desk(), paymasterId, { ...oidc, jwks: JSON.stringify(jwks) });
});
