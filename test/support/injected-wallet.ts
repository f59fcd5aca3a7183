import { type HDNodeWallet, type Wallet, getBytes, getNumber, toUtf8String } from 'ethers';
import type { Page } from 'playwright-core';

export interface InjectedRequest {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** An extension's wallet in a page; its key is here and really signs. */
export interface PageWallet {
  readonly account: Wallet | HDNodeWallet;
  chainId: number;
  readonly known: Set<number>;
  /** In order. */
  readonly asked: InjectedRequest[];
  /** Overrides the answer to a request; `undefined` leaves it to the wallet, `'silent'` never answers. */
  behave: (request: InjectedRequest) => { readonly code: number; readonly message: string } | 'silent' | undefined;
}

export const createPageWallet = (account: Wallet | HDNodeWallet, chainId: number): PageWallet => ({
  account,
  chainId,
  known: new Set([chainId]),
  asked: [],
  behave: () => undefined,
});

/** EIP-1193 with an owner who confirms everything. @throws Object with the code and message of EIP-1193 */
const answer = async (wallet: PageWallet, { method, params }: InjectedRequest): Promise<unknown> => {
  const { account } = wallet;
  const [message] = params;
  const first = Object(message) as Record<string, string>;
  switch (method) {
    case 'eth_accounts':
    case 'eth_requestAccounts':
      return [account.address.toLowerCase()];
    case 'eth_chainId':
      return `0x${wallet.chainId.toString(16)}`;
    case 'wallet_switchEthereumChain': {
      const chainId = Number(first['chainId']);
      if (!wallet.known.has(chainId)) return Promise.reject(Object.assign(new Error('Unknown chain'), { code: 4902 }));
      wallet.chainId = chainId;
      return null;
    }
    case 'wallet_addEthereumChain':
      wallet.known.add(Number(first['chainId']));
      return null;
    case 'personal_sign':
      return account.signMessage(toUtf8String(getBytes(message as string)));
    case 'eth_sendTransaction': {
      const { from: _, gas, ...rest } = first;
      return (await account.sendTransaction({ ...rest, gasLimit: gas ?? null, nonce: getNumber(rest['nonce'] ?? '') }))
        .hash;
    }
    default:
      return Promise.reject(Object.assign(new Error(`No ${method}`), { code: 4200 }));
  }
};

/** Runs in the page before its own scripts, as an extension does. */
const announce = (info: Record<string, string>): void => {
  const call = (
    window as unknown as { pageWallet: (request: unknown) => Promise<{ error?: object; result?: unknown }> }
  ).pageWallet;
  const provider = {
    async request(request: unknown) {
      const { error, result } = await call(request);
      if (error !== undefined) throw Object.assign(new Error(), error);
      return result;
    },
  };
  const tell = (): void => {
    const detail = Object.freeze({ info: Object.freeze(info), provider });
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  };
  window.addEventListener('eip6963:requestProvider', tell);
  tell();
};

/** Installs the wallet in a page, from its next load on. It announces itself with `info` (EIP-6963). */
export const installWallet = async (page: Page, wallet: PageWallet, info: Record<string, string>): Promise<void> => {
  await page.exposeFunction('pageWallet', async (request: { method: string; params?: [] }) => {
    const asked = { method: request.method, params: request.params ?? [] };
    wallet.asked.push(asked);
    const otherwise = wallet.behave(asked);
    if (otherwise === 'silent') return new Promise(() => undefined);
    if (otherwise !== undefined) return { error: otherwise };
    return answer(wallet, asked).then(
      (result) => ({ result }),
      (error: unknown) => {
        const { code = -32603, message } = error as { code?: unknown; message: string };
        return { error: { code, message } };
      },
    );
  });
  await page.addInitScript(announce, info);
};
