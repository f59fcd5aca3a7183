import { Wallet, decryptKeystoreJson, hexlify, toUtf8Bytes } from 'ethers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ledgerPath } from '../../src/renderer/src/modules/signing/ledger-paths.ts';
import { type Ledger, connectLedger } from '../../src/renderer/src/modules/signing/ledger.ts';
import type { SigningKey } from '../../src/api/keys.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { useDesk } from '../support/desk.ts';
import { cableTo, emulatedHid } from '../support/emulated-hid.ts';
import { type WalletReply, useFakeWallet } from '../support/fake-wallet.ts';
import { createLedgerEmulator } from '../support/ledger-emulator.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { ManualClock } from '../support/manual-clock.ts';

const clock = new ManualClock();
const desk = useDesk({ clock });
const chain = useLocalChain();
const wallet = useFakeWallet();
const MINUTE = 60_000;
const PASSWORD = 'of the keystore';
const invalid = { code: 'INVALID_SIGNATURE', message: 'Invalid signature' };

interface Proof {
  readonly signature: string;
  readonly address: Address;
}

/** A way to have the newest funding message signed, and to have the same key sign any other text. */
interface Signer {
  sign(paymasterId: string, message: string): Promise<Proof>;
  signText(text: string): Promise<string>;
}

const byEngine = (key: () => SigningKey, signText: Signer['signText']): Signer => ({
  signText,
  sign: (paymasterId) => desk().service.call('funding.sign', { paymasterId, key: key() }),
});

let keystore: Address;
let account: Address;
beforeAll(async () => {
  keystore = (await desk().service.call('keystores.create', { label: 'Funds', password: PASSWORD })).address;
  const { accounts } = await desk().service.call('wallets.accounts', { url: chain().url });
  account = accounts[3]!;
});
const pasted = Wallet.createRandom();

/** The console's own way to a Ledger, with an emulated one on its cable. */
const device = createLedgerEmulator();
const LEDGER_PATH = ledgerPath('ledger-live', 0);
let connected: Promise<Ledger> | undefined;
const ledger = (): Promise<Ledger> => (connected ??= connectLedger(() => undefined));
beforeAll(() => void vi.stubGlobal('navigator', { hid: emulatedHid(cableTo(device)) }));
afterAll(async () => {
  await (await connected)?.close();
  vi.unstubAllGlobals();
});

const signers: Record<string, Signer> = {
  'a local keystore': byEngine(
    () => ({ kind: 'keystore', address: keystore, password: PASSWORD }),
    async (text) => {
      const file = await desk().service.call('keystores.export', { address: keystore });
      const { privateKey } = await decryptKeystoreJson(file.keystore, PASSWORD);
      return new Wallet(privateKey).signMessage(text);
    },
  ),
  'an external wallet': byEngine(
    () => ({ kind: 'wallet', url: chain().url, address: account }),
    async (text) => (await chain().provider.send('personal_sign', [hexlify(toUtf8Bytes(text)), account])) as string,
  ),
  Clef: byEngine(
    () => ({ kind: 'wallet', url: wallet().url, address: wallet().account.address as Address }),
    (text) => wallet().account.signMessage(text),
  ),
  'a Ledger': {
    signText: async (text) => (await ledger()).signMessage(LEDGER_PATH, text),
    sign: async (paymasterId, message) => {
      const signature = await (await ledger()).signMessage(LEDGER_PATH, message);
      const proof = await desk().service.call('funding.recover', { paymasterId, signature });
      expect(proof).toEqual({ signature, address: device.addressAt(LEDGER_PATH) });
      return proof;
    },
  },
  'a signature that was pasted': {
    signText: (text) => pasted.signMessage(text),
    sign: async (paymasterId, message) => {
      const signature = await pasted.signMessage(message);
      const proof = await desk().service.call('funding.recover', { paymasterId, signature });
      expect(proof).toEqual({ signature, address: pasted.address });
      return proof;
    },
  },
};

/** A DApp with a funding wallet, and the steps of changing it. */
const tank = async () => {
  const { service } = desk();
  const { paymasterId } = await desk().dapp();
  const issue = async () => (await service.call('paymasters.fundingMessage', { paymasterId })).fundingMessage;
  const set = (proof: Proof) =>
    service.call('paymasters.setFundingWallet', { paymasterId, type: 'paymasterFundingId', ...proof });
  const first = Wallet.createRandom();
  const message = await issue();
  const signature = await first.signMessage(message);
  await set({ signature, address: first.address as Address });
  const state = async () => {
    const [paymaster] = (await service.call('paymasters.list', {})).filter((one) => one.paymasterId === paymasterId);
    return { fundingWallet: paymaster?.fundingWallet, history: await service.call('funding.history', { paymasterId }) };
  };
  return {
    paymasterId,
    issue,
    set,
    state,
    first: { at: clock.now(), previous: null, address: first.address, message, signature },
  };
};

type Tank = Awaited<ReturnType<typeof tank>>;

describe.each(Object.entries(signers))('the funding wallet, changed by %s', (_name, signer) => {
  test('is that of who signed, and the history keeps the proof', async () => {
    const { paymasterId, issue, set, state, first } = await tank();
    const message = await issue();
    await clock.advance(10 * MINUTE);
    const proof = await signer.sign(paymasterId, message);
    expect(await state()).toEqual({ fundingWallet: first.address, history: [first] });
    expect(await set(proof)).toMatchObject({ paymasterId, fundingWallet: proof.address });
    const change = { at: clock.now(), previous: first.address, message, ...proof };
    expect(await state()).toEqual({ fundingWallet: proof.address, history: [change, first] });
  });

  test.each<[string, (by: Signer, of: Tank) => Promise<Proof>]>([
    [
      'of an older message',
      async (by, { paymasterId, issue }) => {
        const proof = await by.sign(paymasterId, await issue());
        await issue();
        return proof;
      },
    ],
    [
      'of an expired message',
      async (by, { paymasterId, issue }) => {
        const proof = await by.sign(paymasterId, await issue());
        await clock.advance(10 * MINUTE + 1);
        return proof;
      },
    ],
    [
      'that was used before',
      async (by, { paymasterId, issue, set }) => {
        const proof = await by.sign(paymasterId, await issue());
        await set(proof);
        return proof;
      },
    ],
    [
      'of another signer than it says',
      async (by, { paymasterId, issue }) => {
        const { signature } = await by.sign(paymasterId, await issue());
        return { signature, address: Wallet.createRandom().address as Address };
      },
    ],
    [
      'that was tampered with',
      async (by, { paymasterId, issue }) => {
        const { signature, address } = await by.sign(paymasterId, await issue());
        const digit = signature[20] === 'a' ? 'b' : 'a';
        return { signature: signature.slice(0, 20) + digit + signature.slice(21), address };
      },
    ],
    [
      'of a message that was tampered with',
      async (by, { paymasterId, issue }) => {
        const message = await issue();
        const { address } = await by.sign(paymasterId, message);
        return { signature: await by.signText(message.replace('costs no fee', 'costs a fee')), address };
      },
    ],
    [
      'of the message of another tank',
      async (by, { issue }) => {
        const other = await tank();
        const proof = await by.sign(other.paymasterId, await other.issue());
        await issue();
        return proof;
      },
    ],
  ])('is not changed by a signature %s', async (_what, prove) => {
    const one = await tank();
    const proof = await prove(signer, one);
    const before = [await one.state(), desk().rows()];
    await expect(one.set(proof)).rejects.toMatchObject(invalid);
    expect([await one.state(), desk().rows()]).toEqual(before);
  });
});

describe('nothing but the newest funding message can be signed from here', () => {
  const key = (): SigningKey => ({ kind: 'keystore', address: keystore, password: PASSWORD });
  test('and not when it is used, too old, or was never asked for', async () => {
    const { service } = desk();
    const { paymasterId, issue } = await tank();
    const missing = { code: 'FUNDING_MESSAGE_MISSING' };
    const sign = () => service.call('funding.sign', { paymasterId, key: key() });
    const recover = () => service.call('funding.recover', { paymasterId, signature: `0x${'11'.repeat(65)}` });
    await expect(sign()).rejects.toMatchObject(missing);
    await expect(recover()).rejects.toMatchObject(missing);
    await issue();
    await clock.advance(10 * MINUTE + 1);
    await expect(sign()).rejects.toMatchObject(missing);
    await expect(recover()).rejects.toMatchObject(missing);
    const unknown = { paymasterId: 'none' };
    const asked = [
      service.call('funding.sign', { ...unknown, key: key() }),
      service.call('funding.recover', { ...unknown, signature: '0x' }),
      service.call('funding.history', unknown),
    ];
    const refusals = (await Promise.allSettled(asked)).map(
      (one) => one.status === 'rejected' && (one.reason as unknown),
    );
    expect(refusals).toMatchObject(asked.map(() => ({ code: 'PAYMASTER_NOT_FOUND' })));
  });

  test('and not with a wrong password, or a key that is not there', async () => {
    const { paymasterId, issue } = await tank();
    await issue();
    const sign = (other: Partial<SigningKey>) =>
      desk().service.call('funding.sign', { paymasterId, key: { ...key(), ...other } });
    const before = desk().rows();
    await expect(sign({ password: 'of something else' })).rejects.toMatchObject({ code: 'KEYSTORE_PASSWORD_WRONG' });
    // An address is the same in any letter case, also in one that its checksum does not allow.
    const shouted: Address = `0x${keystore.slice(2).toUpperCase()}`;
    expect(await sign({ address: shouted })).toMatchObject({ address: keystore });
    await expect(sign({ address: account })).rejects.toMatchObject({ code: 'KEYSTORE_NOT_FOUND' });
    expect(desk().rows()).toEqual(before);
  });

  test('garbage is recognised as no signature', async () => {
    const { paymasterId, issue } = await tank();
    await issue();
    for (const signature of ['', '0x', 'garbage', `0x${'00'.repeat(65)}`, `0x${'ff'.repeat(65)}`]) {
      const recovered = desk().service.call('funding.recover', { paymasterId, signature });
      await expect(recovered).rejects.toMatchObject(invalid);
    }
  });
});

describe('a wallet that does not sign leaves everything as it was, and it is said why:', () => {
  const asProvider = (reply: WalletReply) =>
    wallet().behave(({ method }) => {
      if (method === 'eth_chainId') return { result: '0x1' };
      return method === 'personal_sign' ? reply : undefined;
    });
  const attempt = async () => {
    const one = await tank();
    await one.issue();
    const before = [await one.state(), desk().rows()];
    const key = { kind: 'wallet', url: wallet().url, address: wallet().account.address } as const;
    const refused = await desk()
      .service.call('funding.sign', { paymasterId: one.paymasterId, key })
      .then(
        () => 'SIGNED',
        (error: unknown) => error as Error & { code: string },
      );
    expect([await one.state(), desk().rows()]).toEqual(before);
    return refused;
  };

  test.each<[string, WalletReply, string, RegExp]>([
    [
      'its owner rejects',
      { error: { code: 4001, message: 'User rejected\u001b[31m the\u202erequest' } },
      'SIGNING_REFUSED',
      /^The wallet refused: User rejected \[31m the request$/,
    ],
    [
      'it fails with a book',
      { error: { code: -32603, message: 'x'.repeat(10_000) } },
      'SIGNING_REFUSED',
      /^The wallet refused: x{200}…$/,
    ],
    ['it fails without a word', { error: { code: 4100, message: '' } }, 'SIGNING_REFUSED', /it gave no reason/],
    [
      'it hangs up in the middle of its answer',
      {
        act: (response) => {
          response.writeHead(200, { 'content-length': 500 });
          response.write('{"jsonrpc":"2.0","id":1,', () => response.destroy());
        },
      },
      'WALLET_UNREACHABLE',
      /does not answer: the connection broke/,
    ],
    ['it hangs up at once', { act: (response) => response.destroy() }, 'WALLET_UNREACHABLE', /does not answer/],
    ['it answers with a page', { act: (response) => response.end('<html>') }, 'WALLET_UNREACHABLE', /is not JSON-RPC/],
    ['it answers with a number', { act: (response) => response.end('7') }, 'WALLET_UNREACHABLE', /is not JSON-RPC/],
    [
      'it answers without end',
      { act: (response) => response.end('x'.repeat(2_000_000)) },
      'WALLET_UNREACHABLE',
      /is not JSON-RPC/,
    ],
    ['it answers nothing', { result: null }, 'SIGNING_REFUSED', /did not answer with a signature of 0x/],
    ['it answers garbage', { result: '0xgarbage' }, 'SIGNING_REFUSED', /did not answer with a signature of 0x/],
    ['it answers zeros', { result: `0x${'00'.repeat(65)}` }, 'SIGNING_REFUSED', /did not answer with a signature/],
  ])('%s', async (_what, reply, code, message) => {
    asProvider(reply);
    expect(await attempt()).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test('it signs with another account, or another text', async () => {
    const other = Wallet.createRandom();
    for (const signature of [await other.signMessage('x'), await wallet().account.signMessage('another text')]) {
      asProvider({ result: signature });
      expect(await attempt()).toMatchObject({ code: 'SIGNING_REFUSED' });
    }
  });

  test('it leads elsewhere: no other wallet is asked to sign', async () => {
    const location = wallet().url;
    asProvider({ act: (response) => response.writeHead(307, { location }).end() });
    const asked = wallet().asked.length;
    expect(await attempt()).toMatchObject({ code: 'WALLET_UNREACHABLE' });
    expect(
      wallet()
        .asked.slice(asked)
        .map(({ method }) => method),
    ).toEqual(['eth_chainId', 'personal_sign']);
  });

  test('its owner does not come for five minutes', async () => {
    const kept: WalletReply = { act: () => undefined };
    asProvider(kept);
    const arrived = wallet().askedFor('personal_sign');
    const refused = attempt();
    await arrived;
    await clock.advance(5 * MINUTE);
    expect(await refused).toMatchObject({
      code: 'WALLET_UNREACHABLE',
      message: expect.stringMatching(/no answer came in 300 s/),
    });
  });

  test('it does not run', async () => {
    const { paymasterId, issue } = await tank();
    await issue();
    const key = { kind: 'wallet', url: 'http://127.0.0.1:9', address: account } as const;
    const message = expect.stringMatching(
      /^The wallet at http:\/\/127\.0\.0\.1:9 does not answer: the connection was refused\. Make sure that it runs/,
    );
    const refusal = { code: 'WALLET_UNREACHABLE', message };
    await expect(desk().service.call('funding.sign', { paymasterId, key })).rejects.toMatchObject(refusal);
    await expect(desk().service.call('wallets.accounts', { url: key.url })).rejects.toMatchObject(refusal);
  });
});

test('a wallet can show its owner who asks', async () => {
  const { accounts } = await desk().service.call('wallets.accounts', { url: wallet().url });
  expect(accounts).toEqual([wallet().account.address]);
  expect(wallet().asked.at(-1)?.headers).toMatchObject({
    origin: 'http://gasdesk',
    'content-type': 'application/json',
  });
});

test('a URL of another machine, or with a password, is no wallet', async () => {
  for (const url of [
    'http://example.com',
    'http://127.0.0.1.example.com',
    'http://u:p@127.0.0.1:1',
    'http://127.0.0.1@example.com',
  ]) {
    await expect(desk().service.call('wallets.accounts', { url })).rejects.toMatchObject({ code: 'VALIDATION' });
  }
});
