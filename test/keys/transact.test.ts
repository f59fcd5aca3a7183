import type { ServerResponse } from 'node:http';
import { Transaction, Wallet } from 'ethers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemEntropy } from '../../src/engine/base/clock.ts';
import { createKeySigners } from '../../src/engine/keys/key-signers.ts';
import { createKeystores } from '../../src/engine/keys/keystores.ts';
import { createWallets } from '../../src/engine/keys/wallets.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { type WalletReply, type WalletRequest, useFakeWallet } from '../support/fake-wallet.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const chain = useLocalChain();
const fake = useFakeWallet();
const tempFolder = useTempFolders();

const parts = () => {
  const clock = new ManualClock();
  const scrypt = { N: 1024, r: 8, p: 1 };
  const keystores = createKeystores({ dir: tempFolder(), clock, entropy: systemEntropy, scrypt });
  const wallets = createWallets(clock);
  onTestFinished(() => {
    wallets.stop();
    // No timer is left that would keep an engine from ending.
    expect(clock.pending).toBe(0);
  });
  return { keystores, wallets, signers: createKeySigners({ keystores, wallets }) };
};

const RECEIVER: Address = `0x${'22'.repeat(20)}`;
const unsigned = (changes: object = {}): Transaction =>
  Transaction.from({
    type: 2,
    chainId: 31337,
    to: RECEIVER,
    value: 5n,
    nonce: 0,
    gasLimit: 30_000,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 1n,
    ...changes,
  });

test('a keystore signs the transaction as it is, and sends nothing', async () => {
  const { keystores, signers } = parts();
  const { address } = await keystores.create('Owner', 'its password');
  const answer = await signers.of({ kind: 'keystore', address, password: 'its password' }).transact(unsigned());
  if (!('signed' in answer)) throw new Error('It was sent');
  const signed = Transaction.from(answer.signed);
  expect([signed.from, signed.unsignedHash]).toEqual([address, unsigned().unsignedHash]);
});

test('a provider sends the transaction as it was asked for, and answers its hash', async () => {
  const { wallets, signers } = parts();
  const [address] = await wallets.accounts(chain().url);
  const signer = signers.of({ kind: 'wallet', url: chain().url, address: address! });
  const answer = await signer.transact(unsigned());
  if (!('hash' in answer)) throw new Error('It was not sent');
  const mined = await chain().provider.getTransaction(answer.hash);
  expect(mined).toMatchObject({ from: address, to: RECEIVER, value: 5n, nonce: 0, gasLimit: 30_000n });
  expect(await chain().provider.getBalance(RECEIVER)).toBe(5n);
});

test('a provider on another chain that cannot change to the right one sends nothing', async () => {
  const { wallets, signers } = parts();
  const [, address] = await wallets.accounts(chain().url);
  const signer = signers.of({ kind: 'wallet', url: chain().url, address: address! });
  await expect(signer.transact(unsigned({ chainId: 1 }))).rejects.toMatchObject({ code: 'SIGNING_REFUSED' });
  expect(await chain().provider.getTransactionCount(address!)).toBe(0);
});

test('a provider on another chain is asked to change first', async () => {
  const { signers } = parts();
  const hash = `0x${'ab'.repeat(32)}`;
  fake().behave(({ method }) => {
    if (method === 'eth_chainId') return { result: '0x1' };
    return { result: method === 'eth_sendTransaction' ? hash : null };
  });
  const before = fake().asked.length;
  const address = fake().account.address as Address;
  expect(await signers.of({ kind: 'wallet', url: fake().url, address }).transact(unsigned())).toEqual({ hash });
  const asked = fake().asked.slice(before);
  expect(asked.map(({ method }) => method)).toEqual([
    'eth_chainId',
    'wallet_switchEthereumChain',
    'eth_sendTransaction',
  ]);
  expect(asked[1]?.params).toEqual([{ chainId: '0x7a69' }]);
});

/** On a chain without a base fee. */
const legacy = () => unsigned({ type: 0, maxFeePerGas: null, maxPriorityFeePerGas: null, gasPrice: 7n });

test('a provider on a chain without a base fee pays the price that was drafted', async () => {
  const { signers } = parts();
  fake().behave(({ method }) => ({ result: method === 'eth_chainId' ? '0x7a69' : `0x${'ab'.repeat(32)}` }));
  const address = fake().account.address as Address;
  await signers.of({ kind: 'wallet', url: fake().url, address }).transact(legacy());
  const [request] = fake().asked.at(-1)?.params ?? [];
  expect(request).toMatchObject({ gasPrice: '0x7' });
  expect(request).not.toHaveProperty('maxFeePerGas');
});

describe('Clef', () => {
  const signer = () => {
    const { signers } = parts();
    return signers.of({ kind: 'wallet', url: fake().url, address: fake().account.address as Address });
  };

  test('hands back the transaction signed, also one that makes a contract as large as there are', async () => {
    for (const tx of [unsigned(), legacy(), unsigned({ to: null, data: `0x${'60'.repeat(49_152)}` })]) {
      const answer = await signer().transact(tx);
      if (!('signed' in answer)) throw new Error('It was sent');
      expect(Transaction.from(answer.signed).unsignedHash).toBe(tx.unsignedHash);
    }
  });

  test.each<[string, () => Promise<unknown>]>([
    [
      'another receiver',
      async () => ({ raw: await fake().account.signTransaction(unsigned({ to: `0x${'33'.repeat(20)}` })) }),
    ],
    [
      'another fee',
      async () => ({ raw: await fake().account.signTransaction(unsigned({ maxFeePerGas: 10n ** 15n })) }),
    ],
    [
      'another account',
      async () => ({ raw: await new Wallet(Wallet.createRandom().privateKey).signTransaction(unsigned()) }),
    ],
    ['no signature', async () => ({ raw: unsigned().unsignedSerialized })],
    ['garbage', async () => ({ raw: '0x1234' })],
    ['nothing', async () => null],
  ])('that signed %s than it was asked for is not believed', async (_what, make) => {
    const result = await make();
    fake().behave(({ method }) => (method === 'account_signTransaction' ? { result } : undefined));
    await expect(signer().transact(unsigned())).rejects.toMatchObject({
      code: 'SIGNING_REFUSED',
      message: expect.stringMatching(/^The wallet did not answer with /),
    });
  });
});

test('an engine that ends waits for no owner of a wallet', async () => {
  const { wallets } = parts();
  fake().behave(({ method }) => (method === 'eth_chainId' ? { result: '0x1' } : { act: () => undefined }));
  const arrived = fake().askedFor('personal_sign');
  const signing = wallets.signMessage({ url: fake().url, address: fake().account.address as Address }, 'text');
  const refused = expect(signing).rejects.toMatchObject({
    code: 'WALLET_UNREACHABLE',
    message: expect.stringMatching(/the engine is stopping/),
  });
  await arrived;
  wallets.stop();
  await refused;
});

test.each<[string, (request: WalletRequest) => WalletReply]>([
  [
    'hangs up',
    ({ method }) =>
      method === 'eth_sendTransaction' ? { act: (response: ServerResponse) => response.destroy() } : { result: '0x1' },
  ],
  [
    'answers an error',
    ({ method }) =>
      method === 'eth_sendTransaction' ? { error: { code: -32000, message: 'odd' } } : { result: '0x1' },
  ],
  ['answers no hash', ({ method }) => (method === 'eth_sendTransaction' ? { result: 'sent' } : { result: '0x1' })],
])('a provider that %s once it was asked to send may have sent', async (_what, behave) => {
  const { signers } = parts();
  fake().behave(behave);
  const signer = signers.of({ kind: 'wallet', url: fake().url, address: fake().account.address as Address });
  await expect(signer.transact(unsigned({ chainId: 1 }))).rejects.toMatchObject({
    code: 'TRANSACTION_MAYBE_SENT',
    message: expect.stringContaining('Check the wallet'),
  });
});
