import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, type JWK, type JWTPayload, SignJWT, exportJWK, generateKeyPair } from 'jose';
import { HDNodeWallet, sha256, toUtf8Bytes } from 'ethers';
import { onTestFinished } from 'vitest';
import type { Address } from '../../src/shared/schema/hex.ts';

/** A voucher as clients send it. */
export interface SentVoucher {
  readonly subject: string;
  readonly expiresAt: number;
  readonly signature: string;
}

/** The key of the DApp's backend. */
export const backend = HDNodeWallet.fromPhrase(
  'legal winner thank year wave sausage worth useful legal winner thank yellow',
);

const voucherTypes = {
  Voucher: [
    { name: 'sender', type: 'address' },
    { name: 'subject', type: 'string' },
    { name: 'expiresAt', type: 'uint64' },
  ],
};

export interface VoucherTerms {
  readonly paymasterId: string;
  readonly chainId?: number;
  readonly sender: Address;
  readonly subject: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/** What the DApp's backend hands to its client. */
export const voucherFor = async (
  { paymasterId, chainId = 31337, sender, subject, expiresAt }: VoucherTerms,
  wallet: Pick<HDNodeWallet, 'signTypedData'> = backend,
): Promise<SentVoucher> => {
  const domain = { name: 'Gasdesk', version: '1', chainId, salt: sha256(toUtf8Bytes(paymasterId)) };
  const signature = await wallet.signTypedData(domain, voucherTypes, { sender, subject, expiresAt });
  return { subject, expiresAt, signature };
};

/** An account of its own for each number. */
export const accountOf = (index: number): Address => `0x${(0xa000_0000 + index).toString(16).padStart(40, '0')}`;

export interface IssuerKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

let keys = 0;

export const issuerKey = async (alg = 'ES256', kid = `key-${(keys += 1)}`): Promise<IssuerKey> => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
};

/** A token that an issuer has signed. */
export const tokenOf = (
  { kid, alg, privateKey }: IssuerKey,
  payload: JWTPayload,
  header: object = {},
): Promise<string> => new SignJWT(payload).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);

/** An issuer's page of keys, which the test may change, close and count. */
export interface KeyPage {
  readonly url: string;
  answer: { status: number; body: string };
  asked: number;
  close(): Promise<void>;
}

export const startKeyPage = async (published: readonly IssuerKey[]): Promise<KeyPage> => {
  const body = JSON.stringify({ keys: published.map(({ publicJwk }) => publicJwk) });
  const server = createServer((_request, response) => {
    page.asked += 1;
    response.writeHead(page.answer.status, { 'content-type': 'application/json' }).end(page.answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const page: KeyPage = {
    url: `http://127.0.0.1:${port}/keys`,
    answer: { status: 200, body },
    asked: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  onTestFinished(() => page.close());
  return page;
};

/** In four encodings, as far as they are texts of their own. */
export const encodingsOf = (text: string): readonly Buffer[] => {
  const bytes = Buffer.from(text);
  return [bytes, ...(['hex', 'base64', 'base64url'] as const).map((encoding) => Buffer.from(bytes.toString(encoding)))];
};
