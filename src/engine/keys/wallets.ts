import { Transaction, hexlify, toQuantity, toUtf8Bytes } from 'ethers';
import { z } from 'zod';
import { EngineError } from '../../shared/errors.ts';
import { type Address, type Hex, address, hash, hex, sameAddress } from '../../shared/schema/hex.ts';
import { quantity } from '../../shared/schema/quantity.ts';
import type { Clock } from '../base/clock.ts';
import { checksummed, proofOf } from './message-proof.ts';
import { type WalletRefusal, createWalletRpc } from './wallet-rpc.ts';

export interface WalletAccount {
  /** A loopback URL. */
  readonly url: string;
  readonly address: Address;
}

/**
 * Wallets on this machine that speak JSON-RPC: Ethereum providers (EIP-1193: Frame, anvil) and Clef. All methods throw
 * EngineError `WALLET_UNREACHABLE`, and `SIGNING_REFUSED` with the wallet's message. `transact` also throws
 * `TRANSACTION_MAYBE_SENT`, if a provider was asked to send a transaction and did not clearly report the result.
 */
export interface Wallets {
  accounts(url: string): Promise<Address[]>;
  /** Returns an EIP-191 signature that has been verified to be the account's. */
  signMessage(wallet: WalletAccount, text: string): Promise<Hex>;
  /**
   * A provider signs and sends the transaction. Clef only signs it, and the result has been verified to be the
   * requested transaction.
   */
  transact(wallet: WalletAccount, unsigned: Transaction): Promise<{ signed: Hex } | { hash: Hex }>;
  stop(): void;
}

/** Time for a person to read, unlock a device and confirm, in ms. */
export const CONFIRM_MS = 300_000;
/** Timeout of a request that needs no confirmation by a person, in ms. */
const PROBE_MS = 10_000;

const refused = (words: string): EngineError => new EngineError('SIGNING_REFUSED', `The wallet refused: ${words}`);
const untrue = (what: string): EngineError =>
  new EngineError('SIGNING_REFUSED', `The wallet did not answer with ${what}`);

/** EIP-1193 code for a refusal by the owner. */
const USER_REJECTED = 4001;

/** The error for a wallet that was asked to send a transaction and did not clearly report the result. */
export const maybeSent = (what: string, cause?: unknown): EngineError => {
  const fix = 'It may nevertheless have sent the transaction. Check the wallet before you prepare another one.';
  return new EngineError('TRANSACTION_MAYBE_SENT', `${what}. ${fix}`, { fix }, { cause });
};

/** "Method not found" in JSON-RPC, or "Unsupported Method" in EIP-1193. */
const isUnknown = ({ code }: WalletRefusal): boolean => code === -32601 || code === 4200;

const read = <T>(schema: z.ZodType<T>, result: unknown, what: string): T => {
  const { data, success } = schema.safeParse(result);
  if (!success) throw untrue(what);
  return data;
};

const addresses = z.array(address).max(1_000);
const clefAnswer = z.object({ raw: hex });

/** A transaction as a JSON-RPC request describes it. */
const requestOf = (from: Address, unsigned: Transaction) => ({
  from,
  ...(unsigned.to !== null && { to: unsigned.to }),
  chainId: toQuantity(unsigned.chainId),
  nonce: toQuantity(unsigned.nonce),
  value: toQuantity(unsigned.value),
  gas: toQuantity(unsigned.gasLimit),
  // Chains without a base fee use a single gas price.
  ...(unsigned.type === 0
    ? { gasPrice: toQuantity(unsigned.gasPrice ?? 0n) }
    : {
        maxFeePerGas: toQuantity(unsigned.maxFeePerGas ?? 0n),
        maxPriorityFeePerGas: toQuantity(unsigned.maxPriorityFeePerGas ?? 0n),
      }),
  data: unsigned.data,
});

const isSignedBy = (raw: string, unsigned: Transaction, from: Address): boolean => {
  try {
    const signed = Transaction.from(raw);
    return (
      signed.unsignedHash === unsigned.unsignedHash && signed.from !== null && sameAddress(signed.from as Address, from)
    );
  } catch {
    return false;
  }
};

/** The wallets on this machine. */
export const createWallets = (clock: Clock): Wallets => {
  const rpc = createWalletRpc(clock);

  const confirmed = async (url: string, method: string, params: readonly unknown[]): Promise<unknown> => {
    const answer = await rpc.request(url, method, params, CONFIRM_MS);
    if ('refusal' in answer) throw refused(answer.refusal.words);
    return answer.result;
  };
  /** Clef does not depend on a chain. A provider may have no chain at the moment, and says why when it is used. */
  const probe = async (url: string): Promise<{ clef: boolean; chainId?: bigint | undefined }> => {
    const answer = await rpc.request(url, 'eth_chainId', [], PROBE_MS);
    if ('refusal' in answer) return { clef: isUnknown(answer.refusal) };
    return { clef: false, chainId: quantity.safeParse(answer.result).data };
  };
  const providerAccounts = async (url: string): Promise<unknown> => {
    const answer = await rpc.request(url, 'eth_requestAccounts', [], CONFIRM_MS);
    if ('result' in answer) return answer.result;
    if (isUnknown(answer.refusal)) return confirmed(url, 'eth_accounts', []);
    throw refused(answer.refusal.words);
  };

  /** Any error other than the owner's refusal leaves it open whether the transaction was sent. */
  const sendFrom = async (url: string, request: object): Promise<Hex> => {
    const answer = await rpc.request(url, 'eth_sendTransaction', [request], CONFIRM_MS).catch((error: unknown) => {
      throw error instanceof EngineError ? maybeSent(error.message, error) : error;
    });
    if ('refusal' in answer) {
      const { code, words } = answer.refusal;
      throw code === USER_REJECTED ? refused(words) : maybeSent(`The wallet answered: ${words}`);
    }
    const sent = hash.safeParse(answer.result);
    if (!sent.success) throw maybeSent('The wallet did not answer with the hash of a transaction');
    return sent.data;
  };

  return {
    async accounts(url) {
      const { clef } = await probe(url);
      const result = clef ? await confirmed(url, 'account_list', []) : await providerAccounts(url);
      return read(addresses, result, 'a list of accounts').map(checksummed);
    },
    async signMessage({ url, address: account }, text) {
      const from = checksummed(account);
      const { clef } = await probe(url);
      const data = hexlify(toUtf8Bytes(text));
      const result = clef
        ? await confirmed(url, 'account_signData', ['text/plain', from, data])
        : await confirmed(url, 'personal_sign', [data, from]);
      const proof = typeof result === 'string' ? proofOf(text, result) : undefined;
      if (proof !== undefined && sameAddress(proof.address, from)) return proof.signature;
      throw untrue(`a signature of ${from}`);
    },
    async transact({ url, address: account }, unsigned) {
      const from = checksummed(account);
      const { clef, chainId } = await probe(url);
      const request = requestOf(from, unsigned);
      if (clef) {
        const { raw } = read(clefAnswer, await confirmed(url, 'account_signTransaction', [request]), 'a transaction');
        if (isSignedBy(raw, unsigned, from)) return { signed: raw };
        throw untrue('the transaction that it was asked to sign');
      }
      if (chainId !== unsigned.chainId) {
        await confirmed(url, 'wallet_switchEthereumChain', [{ chainId: request.chainId }]);
      }
      return { hash: await sendFrom(url, request) };
    },
    stop: () => rpc.stop(),
  };
};
