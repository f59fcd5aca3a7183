/** A wallet's interface in a browser extension (EIP-1193). */
export interface Eip1193Provider {
  request(call: { readonly method: string; readonly params: readonly unknown[] }): Promise<unknown>;
}

/** A wallet in this browser, as it announces itself. Any extension may claim any name. */
export interface InjectedWallet {
  /** Unique while the page is open. */
  readonly id: string;
  /** Untrusted text, made printable and shortened. */
  readonly name: string;
  /** A `data:` URL of an image; undefined if the wallet announces a different URL or none. */
  readonly icon: string | undefined;
  readonly provider: Eip1193Provider;
}

const MAX_WALLETS = 20;
const MAX_NAME = 40;
/** Maximum length of an icon's URL. It is generous: the EIP recommends 96 by 96 pixels. */
const MAX_ICON = 200_000;

const textOf = (value: unknown, most: number): string => {
  if (typeof value !== 'string') return '';
  const clean = value
    .slice(0, 1_000)
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  return clean.length > most ? `${clean.slice(0, most)}…` : clean;
};

/** Accepts an image whose display requires no request. In an `img`, not even an SVG can run scripts. */
const iconOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= MAX_ICON && /^data:image\/(?:png|svg\+xml|webp|gif|jpeg)[;,]/.test(value)
    ? value
    : undefined;

const isProvider = (value: unknown): value is Eip1193Provider =>
  typeof value === 'object' && value !== null && 'request' in value && typeof value.request === 'function';

/** Undefined if the announcement is invalid. */
const readAnnouncement = (detail: unknown): InjectedWallet | undefined => {
  const { info, provider } = Object(detail) as { info?: unknown; provider?: unknown };
  const { uuid, name, icon } = Object(info) as { uuid?: unknown; name?: unknown; icon?: unknown };
  const id = textOf(uuid, MAX_NAME);
  if (id === '' || !isProvider(provider)) return undefined;
  return { id, name: textOf(name, MAX_NAME) || 'Wallet without a name', icon: iconOf(icon), provider };
};

/**
 * Asks the wallets in this browser to announce themselves, and listens for later announcements (EIP-6963,
 * https://eips.ethereum.org/EIPS/eip-6963). The desktop window has no such wallets.
 *
 * @param page the window that receives the announcements
 * @returns a function that stops listening
 */
export const findWallets = (page: EventTarget, found: (wallets: readonly InjectedWallet[]) => void): (() => void) => {
  const wallets = new Map<string, InjectedWallet>();
  const hear = (event: Event): void => {
    const wallet = readAnnouncement((event as CustomEvent<unknown>).detail);
    // The first wallet with an id keeps it, so that no other wallet can replace one that the operator has chosen.
    if (wallet === undefined || wallets.has(wallet.id) || wallets.size >= MAX_WALLETS) return;
    wallets.set(wallet.id, wallet);
    found([...wallets.values()]);
  };
  page.addEventListener('eip6963:announceProvider', hear);
  page.dispatchEvent(new Event('eip6963:requestProvider'));
  return () => page.removeEventListener('eip6963:announceProvider', hear);
};
