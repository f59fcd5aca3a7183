import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { HDNodeWallet } from 'ethers';
import { expect, test } from 'vitest';
import { requestSponsorship } from '../../src/demo/sponsor-rpc.ts';
import { useServe } from '../support/cli.ts';
import { prepareUnreachableChain, startEngine } from '../support/engine.ts';
import { accountOf, backend, encodingsOf, issuerKey, startKeyPage, tokenOf, voucherFor } from '../support/people.ts';
import { signableOperation } from '../support/signing-folder.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const serve = useServe();
const CHAIN = 31337;
const ISSUER = 'https://login.example';
const PERSON = 'grace.hopper@cobol.example';
const PASSPHRASE = 'correct horse battery staple';

test('the heap of a service has nothing of a person or a proof once its requests have ended', async () => {
  const [dir, dumps] = [tempFolder(), tempFolder()];
  const key = await issuerKey();
  const page = await startKeyPage([key]);
  const engine = await startEngine({ dir });
  await prepareUnreachableChain(engine, CHAIN);
  const { paymasterId, apiKey } = await engine.dapp({ chainId: CHAIN, fundingWallet: HDNodeWallet.createRandom() });
  const rules = [
    { name: 'Vouched', policyData: { source: 'VOUCHER', signer: backend.address } },
    { name: 'Signed in', policyData: { source: 'OIDC', issuer: ISSUER, audience: 'game', jwksUrl: page.url } },
  ] as const;
  for (const rule of rules)
    await engine.service.call('rules.create', { paymasterId, rule: { ...rule, policyType: 'IDENTITY' } });
  await engine.stop();

  const service = await serve(['--data', dir], {
    GASDESK_PASSPHRASE: PASSPHRASE,
    NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${dumps}`,
  });
  const expiresAt = Math.floor(Date.now() / 1000) + 600;
  const sender = accountOf(1);
  const voucher = await voucherFor({ paymasterId, sender, subject: PERSON, expiresAt });
  const idToken = await tokenOf(key, { iss: ISSUER, aud: 'game', exp: expiresAt, sub: PERSON });
  const forged = { ...voucher, signature: `${voucher.signature.slice(0, -2)}1d` };
  let nonce = 0;
  const ask = async (context: object): Promise<string> => {
    nonce += 1;
    const params = [
      { ...signableOperation(nonce), sender },
      { mode: 'SPONSORED', ...context },
    ];
    const { result } = await requestSponsorship({ url: service.url, chainId: CHAIN, apiKey }, params);
    return (result as { reason?: { code: string } }).reason?.code ?? 'SPONSORED';
  };
  expect(await ask({ voucher })).toBe('SPONSORED');
  expect(await ask({ idToken })).toBe('SPONSORED');
  expect(await ask({ voucher: forged })).toBe('SUBJECT_INVALID');
  expect(await ask({ idToken: `${idToken}x` })).toBe('SUBJECT_INVALID');
  // What was answered last may still be in buffers of connections.
  for (let count = 0; count < 20; count += 1) expect(await ask({})).toBe('SUBJECT_MISSING');

  // Node collects garbage before it writes a snapshot.
  process.kill(service.pid, 'SIGUSR2');
  const dumped = (): string => {
    const [file] = readdirSync(dumps);
    const text = file === undefined ? '' : readFileSync(join(dumps, file), 'latin1');
    return text.trimEnd().endsWith(']}') ? text : '';
  };
  await expect.poll(dumped).not.toBe('');
  const heap = dumped();
  expect(heap).toContain(paymasterId);
  const [head = '', payload = '', signature = ''] = idToken.split('.');
  const found = [PERSON, voucher.signature.slice(2), idToken, head, payload, signature].filter((secret) =>
    encodingsOf(secret).some((bytes) => heap.includes(bytes.toString('latin1'))),
  );
  expect(found).toEqual([]);
  service.signal('SIGTERM');
  await service.ended;
});
