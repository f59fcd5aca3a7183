import { HDNodeWallet, Mnemonic, Signature, Transaction, getBytes, hashMessage, hexlify } from 'ethers';

/** What the emulated Ledger shows its owner before it answers. */
export interface LedgerScreen {
  readonly kind: 'open app' | 'address' | 'message' | 'transaction';
  readonly text: string;
}

/** A Ledger in memory, down to its APDUs. Assignments take effect from the next APDU on. */
export interface LedgerEmulator {
  /** `BOLOS` is the dashboard. */
  app: 'BOLOS' | 'Ethereum' | 'Bitcoin';
  isEthereumInstalled: boolean;
  isLocked: boolean;
  isBlindSigningOn: boolean;
  isPlugged: boolean;
  /** Unplugs it during the APDU of this index, counted from 0 in `received`. */
  unplugAt: number | undefined;
  /** The owner's decision; approves at once by default. */
  owner: (screen: LedgerScreen) => boolean | Promise<boolean>;
  readonly screens: LedgerScreen[];
  /** Class and instruction bytes of every APDU so far, e.g. `e002`. */
  readonly received: string[];
  addressAt(path: string): string;
  /** Answers an APDU with data and status, in hex; null if the device is unplugged. */
  exchange: (apdu: string) => Promise<string | null>;
}

const PHRASE = 'test test test test test test test test test test test junk';

/** Statuses of the system and of the Ethereum app, which documents them in its `doc/ethapp.adoc`. */
const STATUS = {
  ok: '9000',
  locked: '5515',
  refused: '5501',
  rejected: '6985',
  unknownApp: '6807',
  typeNotSupported: '6501',
  invalidData: '6a80',
  unknownInstruction: '6d00',
  unknownClass: '6e00',
} as const;

const lengthValue = (text: string): string =>
  Buffer.concat([Buffer.of(text.length), Buffer.from(text, 'ascii')]).toString('hex');

/** Length of an RLP item with its header; undefined if the header is incomplete. */
const rlpLength = (bytes: Buffer): number | undefined => {
  const [first] = bytes;
  if (first === undefined || first < 0xc0) return undefined;
  if (first <= 0xf7) return 1 + first - 0xc0;
  const size = first - 0xf7;
  return bytes.length > size ? 1 + size + bytes.readUIntBE(1, size) : undefined;
};

/** Splits `count, count × uint32` at the start, read as a path, from the rest. */
const readPath = (data: Buffer): { readonly path: string; readonly rest: Buffer } => {
  const count = data.readUInt8(0);
  const steps = Array.from({ length: count }, (_, at) => data.readUInt32BE(1 + 4 * at));
  const path = ['m', ...steps.map((step) => (step >= 2 ** 31 ? `${step - 2 ** 31}'` : String(step)))].join('/');
  return { path, rest: data.subarray(1 + 4 * count) };
};

const signed = ({ r, s }: Signature, v: number): string =>
  Buffer.of(v).toString('hex') + r.slice(2) + s.slice(2) + STATUS.ok;

/** An emulated Ledger Nano S Plus, unlocked, with its Ethereum app open and blind signing on. */
export const createLedgerEmulator = (): LedgerEmulator => {
  const root = HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(PHRASE), 'm');
  /** Received parts of an incomplete message or transaction. */
  let pending: Buffer = Buffer.alloc(0);

  const show = async (kind: LedgerScreen['kind'], text: string): Promise<boolean> => {
    const screen = { kind, text };
    ledger.screens.push(screen);
    return ledger.owner(screen);
  };

  const address = async (mustShow: boolean, data: Buffer): Promise<string> => {
    const wallet = root.derivePath(readPath(data).path);
    if (mustShow && !(await show('address', wallet.address))) return STATUS.rejected;
    const key = wallet.signingKey.publicKey.slice(2);
    return `41${key}${lengthValue(wallet.address.slice(2))}${STATUS.ok}`;
  };

  const signMessage = async (): Promise<string> => {
    const { path, rest } = readPath(pending);
    const message = rest.subarray(4);
    if (message.length < rest.readUInt32BE(0)) return STATUS.ok;
    if (!(await show('message', message.toString('utf8')))) return STATUS.rejected;
    const signature = root.derivePath(path).signingKey.sign(hashMessage(message));
    return signed(signature, signature.v);
  };

  const signTransaction = async (): Promise<string> => {
    const { path, rest } = readPath(pending);
    if (rest[0] !== 2) return STATUS.typeNotSupported;
    const length = rlpLength(rest.subarray(1));
    if (length === undefined || rest.length < 1 + length) return STATUS.ok;
    const transaction = Transaction.from(hexlify(rest));
    if (transaction.data !== '0x' && !ledger.isBlindSigningOn) return STATUS.invalidData;
    if (!(await show('transaction', `${transaction.value} wei to ${transaction.to}`))) return STATUS.rejected;
    const signature = root.derivePath(path).signingKey.sign(transaction.unsignedHash);
    return signed(signature, signature.yParity);
  };

  const openApp = async (name: string): Promise<string> => {
    if (name !== 'Ethereum' || !ledger.isEthereumInstalled) return STATUS.unknownApp;
    if (!(await show('open app', name))) return STATUS.refused;
    ledger.app = name;
    return STATUS.ok;
  };

  const system = async (instruction: string, data: Buffer): Promise<string> => {
    switch (instruction) {
      // Secure element, its version, its flags (0x04: set up), then the versions of the other parts.
      case 'e001':
        return `33100004${lengthValue('1.1.1')}04e6000000${lengthValue('4.03')}${lengthValue('3.12')}01000100${STATUS.ok}`;
      case 'e0d8':
        return openApp(data.toString('ascii'));
      default:
        return STATUS.unknownInstruction;
    }
  };

  const ethereum = async (instruction: string, first: number, data: Buffer): Promise<string> => {
    if (instruction === 'e004' || instruction === 'e008') pending = first === 0 ? data : Buffer.concat([pending, data]);
    switch (instruction) {
      case 'e002':
        return address(first === 1, data);
      case 'e004':
        return signTransaction();
      case 'e006':
        return `${ledger.isBlindSigningOn ? '01' : '00'}010d00${STATUS.ok}`;
      case 'e008':
        return signMessage();
      // A challenge, for data that the manufacturer would sign.
      case 'e020':
        return `00112233${STATUS.ok}`;
      default:
        return STATUS.unknownInstruction;
    }
  };

  const answer = async (apdu: Buffer): Promise<string> => {
    const instruction = apdu.subarray(0, 2).toString('hex');
    ledger.received.push(instruction);
    if (ledger.isLocked) return STATUS.locked;
    if (instruction === 'b001') return `01${lengthValue(ledger.app)}${lengthValue('1.13.0')}0102${STATUS.ok}`;
    if (instruction === 'b0a7') {
      ledger.app = 'BOLOS';
      return STATUS.ok;
    }
    const data = apdu.subarray(5);
    if (ledger.app === 'BOLOS') return system(instruction, data);
    return ledger.app === 'Ethereum' ? ethereum(instruction, apdu.readUInt8(2), data) : STATUS.unknownClass;
  };

  const ledger: LedgerEmulator = {
    app: 'Ethereum',
    isEthereumInstalled: true,
    isLocked: false,
    isBlindSigningOn: true,
    isPlugged: true,
    unplugAt: undefined,
    owner: () => true,
    screens: [],
    received: [],
    addressAt: (path) => root.derivePath(path).address,
    async exchange(apdu) {
      if (ledger.received.length === ledger.unplugAt) ledger.isPlugged = false;
      const response = ledger.isPlugged ? await answer(Buffer.from(getBytes(`0x${apdu}`))) : null;
      // It may have been unplugged while its owner was deciding.
      return ledger.isPlugged ? response : null;
    },
  };
  return ledger;
};
