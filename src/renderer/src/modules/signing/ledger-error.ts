const WORDS = {
  unsupported:
    'This browser does not reach USB devices. Open the console in the desktop application, or in Chrome, Edge or another Chromium on a computer, at https or at localhost.',
  'not-chosen': 'No Ledger was chosen. Plug it in, unlock it, and choose it when you are asked.',
  'in-use':
    'The Ledger cannot be opened. Close other programs that use it, such as Ledger Live, or unplug it and plug it in again.',
  locked: 'The Ledger is locked. Enter its PIN and try again.',
  'app-closed': 'The Ethereum app is not open on the Ledger. Open it there and try again.',
  'app-missing': 'The Ledger has no Ethereum app. Install it with Ledger Live and try again.',
  rejected: 'You rejected this on the Ledger. Nothing was signed, sent or changed.',
  disconnected:
    'The Ledger was unplugged, or closed the connection. Nothing was sent or changed. Plug it in, unlock it and connect it again.',
  'blind-signing':
    'The Ledger refuses calls of contracts that it cannot show in full. In its Ethereum app, open the settings, switch on “Blind signing”, and try again. Compare what it shows with what is written here.',
} as const;

type KnownError = keyof typeof WORDS;

export type LedgerErrorCode = KnownError | 'other';

/** An error of a Ledger, in words for its owner: what happened, and what to do. */
export class LedgerError extends Error {
  readonly code: LedgerErrorCode;

  constructor(code: LedgerErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'LedgerError';
    this.code = code;
  }
}

/** Status codes of https://github.com/LedgerHQ/app-ethereum and of the device's operating system. */
const STATUS_WORDS: Readonly<Record<string, KnownError>> = {
  '5501': 'app-closed',
  '5515': 'locked',
  '6511': 'app-closed',
  '6807': 'app-missing',
  '6982': 'rejected',
  '6985': 'rejected',
  '6d00': 'app-closed',
  '6e00': 'app-closed',
};

const TAGS: Readonly<Record<string, KnownError>> = {
  TransportNotSupportedError: 'unsupported',
  WebHidTransportNotSupportedError: 'unsupported',
  NoAccessibleDeviceError: 'not-chosen',
  ConnectionOpeningError: 'in-use',
  DeviceLockedError: 'locked',
  RefusedByUserDAError: 'rejected',
  DeviceDisconnectedBeforeSendingApdu: 'disconnected',
  DeviceDisconnectedWhileSendingError: 'disconnected',
  DeviceSessionNotFound: 'disconnected',
  ReconnectionFailedError: 'disconnected',
  UnknownDeviceError: 'disconnected',
  WebHidSendReportError: 'disconnected',
  // The kit reports this if an exchange was interrupted and the kit did not keep the reason.
  UnknownDAError: 'disconnected',
};

const field = (value: unknown, name: string): string | undefined => {
  const found = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return typeof found === 'string' ? found : undefined;
};

/** Converts an error of the device management kit, which throws or returns objects with a `_tag`. */
export const ledgerError = (error: unknown, purpose?: 'transaction'): LedgerError => {
  if (error instanceof LedgerError) return error;
  // For an unknown status, the kit nests one error in another.
  const { originalError } = Object(error) as { originalError?: unknown };
  const status = field(error, 'errorCode') ?? field(originalError, 'errorCode');
  const tag = field(error, '_tag');
  const isUnseen = purpose === 'transaction' && status === '6a80';
  const code = isUnseen ? 'blind-signing' : (STATUS_WORDS[status ?? ''] ?? TAGS[tag ?? '']);
  if (code !== undefined) return new LedgerError(code, WORDS[code], error);
  const answer = status !== undefined ? `status ${status}` : (tag ?? String(error));
  return new LedgerError(
    'other',
    `The Ledger could not do this (${answer}). Check that it is set up and its Ethereum app is up to date, unplug it, plug it in and try again.`,
    error,
  );
};
