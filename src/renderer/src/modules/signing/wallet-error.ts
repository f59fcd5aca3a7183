import { EngineError } from '../../../../shared/errors.ts';

export type WalletErrorCode =
  'rejected' | 'pending' | 'locked' | 'other-account' | 'other-chain' | 'chain-unknown' | 'silent' | 'other';

/** An error of a wallet, in words for its owner: what happened, and what to do. */
export class WalletError extends EngineError {
  readonly kind: WalletErrorCode;

  constructor(kind: WalletErrorCode, message: string, cause?: unknown) {
    super(kind === 'silent' ? 'WALLET_UNREACHABLE' : 'SIGNING_REFUSED', message, {}, { cause });
    this.kind = kind;
  }

  /** True for errors after which the wallet has certainly sent nothing. */
  get isUnsent(): boolean {
    return this.kind === 'rejected' || this.kind === 'pending' || this.kind === 'locked';
  }
}

/** Error codes of EIP-1193, EIP-1474 and EIP-3085. */
const CODES: ReadonlyMap<unknown, WalletErrorCode> = new Map([
  [4001, 'rejected'],
  [-32002, 'pending'],
  [4100, 'locked'],
  [4902, 'chain-unknown'],
]);

const WORDS: Readonly<Partial<Record<WalletErrorCode, string>>> = {
  rejected: 'You rejected this in the wallet. Nothing was signed or sent.',
  pending:
    'The wallet is still waiting for your answer to an earlier request. Open it, answer that one, and try again.',
  locked: 'The wallet does not give this page access to the account. Unlock it, connect it again, and try again.',
  'chain-unknown': 'The wallet does not know this chain. Add the chain in the wallet, and try again.',
};

const MAX_WORDS = 200;

/** The wallet's own message, shortened and made printable. */
const wordsOf = (error: unknown): string => {
  const { message } = Object(error) as { message?: unknown };
  const clean =
    typeof message === 'string'
      ? message
          .slice(0, 1_000)
          .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
          .trim()
      : '';
  return clean.slice(0, MAX_WORDS) || 'it gave no reason';
};

export const walletError = (error: unknown): WalletError => {
  if (error instanceof WalletError) return error;
  const { code, data } = Object(error) as { code?: unknown; data?: unknown };
  // Some wallets wrap the original error.
  const { originalError } = Object(data) as { originalError?: unknown };
  const { code: inner } = Object(originalError) as { code?: unknown };
  const known = CODES.get(code) ?? CODES.get(inner) ?? 'other';
  return new WalletError(known, WORDS[known] ?? `The wallet did not do this: ${wordsOf(error)}.`, error);
};
