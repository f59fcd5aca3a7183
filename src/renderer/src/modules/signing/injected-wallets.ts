/** What signs in an extension of the browser (EIP-1193). */
export interface Eip1193Provider {
  request(call: { readonly method: string; readonly params: readonly unknown[] }): Promise<unknown>;
}

/** A wallet in this browser, as it announces itself. Any extension may claim any name. */
export interface InjectedWallet {
  /** Its own for as long as the page is open. */
  readonly id: string;
  /** Text of a stranger: printable, and short. */
  readonly name: string;
  /** A `data:` URL of an image; undefined where it announces another or none. */
  readonly icon: string | undefined;
  readonly provider: Eip1193Provider;
}

const MOST_WALLETS = 20;
const MOST_NAME = 40;
/** The EIP recommends 96 by 96 pixels. */
const MOST_ICON = 200_000;

const textOf = (value: unknown, most: number): string => {
  if (typeof value !== 'string') return '';
  const clean = value
    .slice(0, 1_000)
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  return clean.length > most ? `${clean.slice(0, most)}…` : clean;
};

/** An image that is loaded from nowhere. As the source of an `img` even an SVG runs no script. */
const iconOf = (value: unknown): string | undefined =>
  typeof value === 'string' &&
  value.length <= MOST_ICON &&
  /^data:image\/(?:png|svg\+xml|webp|gif|jpeg)[;,]/.test(value)
    ? value
    : undefined;

const isProvider = (value: unknown): value is Eip1193Provider =>
  typeof value === 'object' && value !== null && 'request' in value && typeof value.request === 'function';

/** Reads an announcement; undefined for what is none. */
const readAnnouncement = (detail: unknown): InjectedWallet | undefined => {
  const { info, provider } = Object(detail) as { info?: unknown; provider?: unknown };
  const { uuid, name, icon } = Object(info) as { uuid?: unknown; name?: unknown; icon?: unknown };
  const id = textOf(uuid, MOST_NAME);
  if (id === '' || !isProvider(provider)) return undefined;
  return { id, name: textOf(name, MOST_NAME) || 'Wallet without a name', icon: iconOf(icon), provider };
};

/**
 * Asks the wallets in this browser to announce themselves, and hears those that come later (EIP-6963,
 * https://eips.ethereum.org/EIPS/eip-6963). Where there are none, as in the desktop window, nothing is found.
 *
 * @param page where they announce themselves: the window
 * @returns ends it
 */
export const findWallets = (page: EventTarget, found: (wallets: readonly InjectedWallet[]) => void): (() => void) => {
  const wallets = new Map<string, InjectedWallet>();
  const hear = (event: Event): void => {
    const wallet = readAnnouncement((event as CustomEvent<unknown>).detail);
    // The first of an id stays: nobody takes the place of the one that was chosen.
    if (wallet === undefined || wallets.has(wallet.id) || wallets.size >= MOST_WALLETS) return;
    wallets.set(wallet.id, wallet);
    found([...wallets.values()]);
  };
  page.addEventListener('eip6963:announceProvider', hear);
  page.dispatchEvent(new Event('eip6963:requestProvider'));
  return () => page.removeEventListener('eip6963:announceProvider', hear);
};
