import { type Address, type Hex, sameAddress } from '../../../../shared/schema/hex.ts';
import type { Chain } from '../../desk/types.ts';
import type { Timer } from '../../timer.ts';
import type { Eip1193Provider } from './injected-wallets.ts';
import type { UnsignedTransaction } from './signed-by.ts';
import { WalletError, walletError } from './wallet-error.ts';

/** A wallet in this browser. Every method rejects with a {@link WalletError}. */
export interface UsedWallet {
  /** Asks the owner which accounts this page may use. */
  accounts(): Promise<readonly Address[]>;
  /** Signs a text as an EIP-191 personal message. */
  signMessage(from: Address, text: string): Promise<Hex>;
  /**
   * Checks that the wallet is on the right chain and that this page may still use the account. May ask the owner for
   * both.
   */
  ready(from: Address, chain: WalletChain): Promise<void>;
  /** Signs the transaction and sends it. @returns its hash */
  send(transaction: UnsignedTransaction): Promise<Hex>;
}

export type WalletChain = Pick<Chain, 'chainId' | 'name' | 'symbol' | 'rpc' | 'explorer'>;

/** Time for the owner to read, unlock the wallet and confirm, in ms. The engine waits equally long for a wallet. */
const CONFIRM_MS = 300_000;
/** Timeout of requests that need no confirmation, in ms. */
const PROBE_MS = 10_000;

const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`;
const utf8Hex = (text: string): Hex =>
  `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;

const isAddress = (value: unknown): value is Address => typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value);

const untrue = (what: string): WalletError => new WalletError('other', `The wallet did not answer with ${what}.`);

/**
 * The transaction in JSON-RPC's field names. A type 2 transaction starts with the byte 2; other types have a single gas
 * price.
 */
const requestOf = (transaction: UnsignedTransaction) => ({
  from: transaction.from,
  ...(transaction.to !== null && { to: transaction.to }),
  chainId: quantity(transaction.chainId),
  nonce: quantity(transaction.nonce),
  value: quantity(BigInt(transaction.valueWei)),
  gas: quantity(BigInt(transaction.gasLimit)),
  ...(transaction.unsigned.startsWith('0x02')
    ? {
        maxFeePerGas: quantity(BigInt(transaction.maxFeePerGasWei)),
        maxPriorityFeePerGas: quantity(BigInt(transaction.maxPriorityFeePerGasWei)),
      }
    : { gasPrice: quantity(BigInt(transaction.maxFeePerGasWei)) }),
  data: transaction.data,
});

/**
 * Parameters for adding a chain that the wallet does not know (EIP-3085); undefined if no node URL may be passed on.
 */
const chainParameters = ({ chainId, name, symbol, rpc, explorer }: WalletChain) =>
  // If the URL contains credentials, this page knows only its origin.
  rpc === null || rpc.endsWith('/…')
    ? undefined
    : {
        chainId: quantity(chainId),
        chainName: name,
        rpcUrls: [rpc],
        nativeCurrency: { name: symbol, symbol, decimals: 18 },
        ...(explorer !== null && { blockExplorerUrls: [explorer] }),
      };

/** Sends requests to a wallet's provider. Each method waits for one answer before it sends its next request. */
export const useWallet = (provider: Eip1193Provider, timer: Timer): UsedWallet => {
  const request = async (method: string, params: readonly unknown[], withinMs: number): Promise<unknown> => {
    let cancel = (): void => undefined;
    const silence = new Promise<never>((_resolve, reject) => {
      const time = withinMs < 60_000 ? `${withinMs / 1_000} seconds` : `${withinMs / 60_000} minutes`;
      const message = `The wallet has not answered for ${time}. Open it: it may be waiting for you in a separate window.`;
      cancel = timer.after(withinMs, () => reject(new WalletError('silent', message)));
    });
    try {
      return await Promise.race([provider.request({ method, params }), silence]);
    } catch (error) {
      throw walletError(error);
    } finally {
      cancel();
    }
  };

  const listAccounts = async (method: string, withinMs: number): Promise<readonly Address[]> => {
    const answer = await request(method, [], withinMs);
    if (Array.isArray(answer)) return answer.slice(0, 1_000).filter(isAddress);
    throw untrue('a list of accounts');
  };

  const requireAccount = async (from: Address): Promise<void> => {
    const open = await listAccounts('eth_accounts', PROBE_MS);
    if (open.some((one) => sameAddress(one, from))) return;
    const message = `The wallet no longer lets this page use ${from}. Choose this account in the wallet, then connect it again.`;
    throw new WalletError('other-account', message);
  };

  const isOn = async (chainId: number): Promise<boolean> => {
    const answer = await request('eth_chainId', [], PROBE_MS);
    // Some wallets return a number.
    return typeof answer === 'number' ? answer === chainId : String(answer).toLowerCase() === quantity(chainId);
  };

  const switchTo = (chainId: number): Promise<unknown> =>
    request('wallet_switchEthereumChain', [{ chainId: quantity(chainId) }], CONFIRM_MS);

  const switchOrAdd = async (chain: WalletChain): Promise<void> => {
    try {
      await switchTo(chain.chainId);
    } catch (error) {
      const parameters = chainParameters(chain);
      if (!(error instanceof WalletError) || error.kind !== 'chain-unknown' || parameters === undefined) throw error;
      await request('wallet_addEthereumChain', [parameters], CONFIRM_MS);
      // Most wallets have already switched to the chain at this point.
      if (!(await isOn(chain.chainId))) await switchTo(chain.chainId);
    }
  };

  return {
    async accounts() {
      // A wallet that does not respond to this request does not respond at all.
      await request('eth_chainId', [], PROBE_MS);
      return listAccounts('eth_requestAccounts', CONFIRM_MS);
    },
    async signMessage(from, text) {
      await requireAccount(from);
      const signature = await request('personal_sign', [utf8Hex(text), from], CONFIRM_MS);
      if (typeof signature === 'string' && /^0x[0-9a-f]{130}$/i.test(signature)) return signature as Hex;
      throw untrue('a signature');
    },
    async ready(from, chain) {
      await requireAccount(from);
      if (await isOn(chain.chainId)) return;
      await switchOrAdd(chain);
      if (await isOn(chain.chainId)) return;
      const message = `The wallet is on another chain. Switch it to ${chain.name} (chain ${chain.chainId}), and try again.`;
      throw new WalletError('other-chain', message);
    },
    async send(transaction) {
      const hash = await request('eth_sendTransaction', [requestOf(transaction)], CONFIRM_MS);
      if (typeof hash === 'string' && /^0x[0-9a-f]{64}$/i.test(hash)) return hash as Hex;
      throw untrue('the hash of a transaction');
    },
  };
};
