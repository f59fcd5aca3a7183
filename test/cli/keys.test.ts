import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Wallet, decryptKeystoreJson } from 'ethers';
import { describe, expect, it } from 'vitest';
import { gasdesk, useServe } from '../support/cli.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { PASSPHRASE, quickEngine } from '../support/quick-engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';

// A test starts up to ten processes; on a busy machine each may take seconds.
const tempFolder = useTempFolders();
const serve = useServe();
const chain = useLocalChain();
const PASSWORD = 'pa55word of the key';

/** A folder with a DApp and an open vault, and a file with the password of its keys. */
const desk = async () => {
  const dir = tempFolder();
  const engine = await quickEngine(dir);
  const [account] = await engine.service.call('accounts.list', {});
  const dapp = { accountId: account!.accountId, name: 'Game', type: 'HYBRID', chainId: 31337, version: '1.1.0' };
  const { paymasterId } = await engine.service.call('paymasters.create', dapp);
  // Made here, where a password costs little to try.
  const key = await engine.service.call('keystores.create', { label: 'Funds', password: PASSWORD });
  await engine.stop();
  const passwordFile = join(tempFolder(), 'password');
  writeFileSync(passwordFile, `${PASSWORD}\n`);
  return { dir, paymasterId, key, passwordFile, run: (...args: string[]) => gasdesk([...args, '--data', dir]) };
};

const jsonOf = ({ code, stdout, stderr }: Awaited<ReturnType<typeof gasdesk>>): unknown => {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as unknown;
};

describe.concurrent('gasdesk keystore', () => {
  it('moves a key to another desk and away: create, list, export, import, remove', async () => {
    const [one, other] = [await desk(), await desk()];
    const made = jsonOf(
      await one.run('keystore', 'create', '--label', 'Owner', '--password-file', one.passwordFile, '--json'),
    ) as { address: string };
    expect(jsonOf(await one.run('keystore', 'list', '--json'))).toEqual([one.key, made]);
    const out = join(tempFolder(), 'exported');
    expect(jsonOf(await one.run('keystore', 'export', one.key.address, '--out', out, '--json'))).toEqual({ file: out });
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const printed = await one.run('keystore', 'export', one.key.address);
    expect(printed.stdout).toBe(`${readFileSync(out, 'utf8')}\n`);
    const over = await one.run('keystore', 'export', made.address, '--out', out);
    expect([over.code, over.stderr]).toEqual([1, expect.stringMatching(/^gasdesk: Cannot write the file .*: EEXIST/)]);

    const imported = await other.run(
      'keystore',
      'import',
      out,
      '--label',
      'Moved',
      '--password-file',
      other.passwordFile,
      '--json',
    );
    expect(jsonOf(imported)).toMatchObject({ address: one.key.address, label: 'Moved' });
    const wrong = join(tempFolder(), 'wrong');
    writeFileSync(wrong, 'another');
    const refused = await one.run('keystore', 'remove', one.key.address, '--password-file', wrong);
    expect([refused.code, refused.stderr]).toEqual([1, 'gasdesk: Wrong password for the keystore\n']);
    jsonOf(await one.run('keystore', 'remove', one.key.address, '--password-file', one.passwordFile, '--json'));
    expect(jsonOf(await one.run('keystore', 'list', '--json'))).toEqual([made]);
  });

  it('leaves neither password nor private key in anything but the encrypted file, nor in the log', async () => {
    const { dir, paymasterId, key, passwordFile, run } = await desk();
    const service = await serve(['--data', dir], { GASDESK_PASSPHRASE: PASSPHRASE, GASDESK_LOG_LEVEL: 'debug' });
    const { stdout: exported } = await run('keystore', 'export', key.address);
    const { privateKey } = await decryptKeystoreJson(exported.trim(), PASSWORD);
    const signed = ['funding-wallet', 'set', '--dapp', paymasterId, '--keystore', key.address];
    const wrongFile = join(tempFolder(), 'wrong');
    writeFileSync(wrongFile, 'a wr0ng one');
    const said = [
      await run('keystore', 'create', '--label', 'Other', '--password-file', passwordFile),
      await run(...signed, '--password-file', wrongFile),
      await run(...signed, '--password-file', passwordFile),
      await run('decisions', 'export'),
      await run('funding-wallet', 'history', '--dapp', paymasterId, '--json'),
      await run('log'),
      await run('config', 'print'),
    ];
    expect(said.map(({ code }) => code)).toEqual([0, 1, 0, 0, 0, 0, 0]);
    const before = readdirSync(dir).filter((name) => name.startsWith('gasdesk.db'));
    expect(before).toContain('gasdesk.db-wal');
    const onDisk = before.map((name) => readFileSync(join(dir, name), 'latin1'));
    service.signal('SIGTERM');
    const { stderr } = await service.ended;
    expect(stderr).toContain('keystore.created');
    const everywhere = [
      ...said.flatMap(({ stdout, stderr: told }) => [stdout, told]),
      ...onDisk,
      stderr,
      exported,
      ...readdirSync(dir, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')),
    ];
    const raw = Buffer.from(privateKey.slice(2), 'hex').toString('latin1');
    for (const secret of [PASSWORD, 'a wr0ng one', privateKey.slice(2), raw]) {
      for (const text of everywhere) expect(text.toLowerCase().includes(secret.toLowerCase())).toBe(false);
    }
  });
});

describe.concurrent('gasdesk funding-wallet', () => {
  const fundingWallet = async (run: Awaited<ReturnType<typeof desk>>['run']) =>
    (jsonOf(await run('dapp', 'list', '--json')) as { fundingWallet: string | null }[])[0]!.fundingWallet;

  it('is set by a keystore, a wallet, or a signature that was made elsewhere; the history lists each', async () => {
    const { paymasterId, key, passwordFile, run } = await desk();
    const set = (...args: string[]) => run('funding-wallet', 'set', '--dapp', paymasterId, ...args, '--json');
    const byKeystore = await set('--keystore', key.address, '--password-file', passwordFile);
    expect(jsonOf(byKeystore)).toEqual({ paymasterId, name: 'Game', fundingWallet: key.address });

    const { address: account } = await chain().provider.getSigner(0);
    const byWallet = await set('--wallet', chain().url, '--address', account);
    expect(byWallet).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Confirm in the wallet:\nTimestamp: /) });
    expect(await fundingWallet(run)).toBe(account);

    const elsewhere = Wallet.createRandom();
    const { stdout: message } = await run('funding-wallet', 'message', '--dapp', paymasterId);
    const signature = await elsewhere.signMessage(message);
    jsonOf(await set('--signature', signature, '--address', elsewhere.address));
    const again = await set('--signature', signature, '--address', elsewhere.address);
    expect([again.code, again.stderr]).toEqual([1, 'gasdesk: Invalid signature\n']);
    const history = await run('funding-wallet', 'history', '--dapp', paymasterId, '--json');
    expect(jsonOf(history)).toMatchObject([
      { address: elsewhere.address, previous: account, message, signature },
      { address: account, previous: key.address },
      { address: key.address, previous: null },
    ]);
  });

  it('says what is missing before anything is asked for', async () => {
    const { paymasterId, key, run } = await desk();
    const set = (...args: string[]) => run('funding-wallet', 'set', '--dapp', paymasterId, ...args);
    for (const [args, why] of [
      [[], /No signer is given. Use --keystore, --wallet with --address, or --signature with --address/],
      [
        ['--keystore', key.address],
        /The password of the keystore is missing. Set GASDESK_KEYSTORE_PASSWORD, or use --password-file/,
      ],
      [['--wallet', chain().url], /The account of the wallet is missing. Use --address/],
      [
        ['--wallet', 'http://wallet.example:1248', '--address', key.address],
        /^error: option '--wallet <url>' .* must be an http URL of this machine/,
      ],
      [['--signature', '0x11'], /No signer is given/],
      [['--keystore', key.address, '--wallet', chain().url], /cannot be used with/],
    ] as const) {
      const { code, stderr } = await set(...args);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(why) });
    }
    expect(await fundingWallet(run)).toBeNull();
  });
});
