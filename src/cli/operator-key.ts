import { type Command, InvalidArgumentError, Option } from 'commander';
import type { SigningKey } from '../api/keys.ts';
import type { SignedDraft } from '../api/transactions.ts';
import { EngineError } from '../shared/errors.ts';
import type { Address, Hex } from '../shared/schema/hex.ts';
import { loopbackUrl } from '../shared/schema/text.ts';
import { secretIn } from './desk.ts';
import { printNote, terminal } from './terminal.ts';

/** Flags for the operator's key, if it signs in the engine's process. */
export interface SigningKeyFlags {
  readonly keystore?: Address;
  readonly passwordFile?: string;
  readonly wallet?: string;
  readonly address?: Address;
}

/** Flags for the operator's key that signs a transaction. */
export interface TransactionSignerFlags extends SigningKeyFlags {
  readonly fromKeyFile?: string;
}

export interface TransactionSigner {
  readonly address: Address;
  /** Signs the draft here, or returns the key with which the engine's process signs it. */
  sign(draft: { readonly unsigned: Hex; readonly summary: string }): Promise<SignedDraft>;
}

const usage = (message: string): EngineError => new EngineError('VALIDATION', message);

/** Reads a wallet's URL. An invalid one is refused before a signature is requested. */
const walletArgument = (text: string): string => {
  const { data, error } = loopbackUrl.safeParse(text);
  if (data !== undefined) return data;
  throw new InvalidArgumentError(`It ${String(error.issues[0]?.message)}.`);
};

export const withSigningKeyFlags = (command: Command, account = 'account of that wallet to sign with'): Command =>
  command
    .option('--keystore <address>', 'sign with this local key')
    .option('--password-file <file>', 'file with the password of that key (default: $GASDESK_KEYSTORE_PASSWORD)')
    .addOption(
      new Option('--wallet <url>', 'sign with a wallet on this machine, such as http://127.0.0.1:1248')
        .conflicts('keystore')
        .argParser(walletArgument),
    )
    .option('--address <address>', account);

const passwordOf = ({ passwordFile }: SigningKeyFlags): string => {
  if (passwordFile !== undefined) return secretIn(passwordFile);
  const { GASDESK_KEYSTORE_PASSWORD: password = '' } = terminal().env;
  if (password !== '') return password;
  throw usage('The password of the keystore is missing. Set GASDESK_KEYSTORE_PASSWORD, or use --password-file');
};

/**
 * The key that the flags name; undefined if they name none.
 * @throws EngineError `VALIDATION` if something is missing, `CONFIG_INVALID` for the password file
 */
export const signingKey = (flags: SigningKeyFlags): SigningKey | undefined => {
  const { keystore, wallet, address } = flags;
  if (keystore !== undefined) return { kind: 'keystore', address: keystore, password: passwordOf(flags) };
  if (wallet === undefined) return undefined;
  if (address === undefined) throw usage('The account of the wallet is missing. Use --address');
  return { kind: 'wallet', url: wallet, address };
};

/** Announces to the owner of a wallet what the wallet is going to ask. For other keys, the owner has nothing to do. */
export const announce = (key: SigningKey, what: string): void => {
  if (key.kind === 'wallet') printNote(`Confirm in the wallet:\n${what}`);
};

const keyFileSigner = async (file: string): Promise<TransactionSigner> => {
  const key = secretIn(file);
  // Imported here because other commands do not need it.
  const { Transaction, Wallet } = await import('ethers');
  let wallet: InstanceType<typeof Wallet>;
  try {
    wallet = new Wallet(key);
  } catch {
    // ethers's own message may quote the key.
    throw usage(`The file ${file} does not contain a secp256k1 private key (0x and 64 hex digits)`);
  }
  return {
    address: wallet.address as Address,
    sign: async ({ unsigned }) => ({
      signedTransaction: (await wallet.signTransaction(Transaction.from(unsigned))) as Hex,
    }),
  };
};

/**
 * The signer that the flags name for a transaction. The key in a key file never leaves this process.
 * @throws EngineError like {@link signingKey}; `VALIDATION` if the flags name no signer, or if the key file contains no
 * key
 */
export const transactionSigner = async (flags: TransactionSignerFlags): Promise<TransactionSigner> => {
  if (flags.fromKeyFile !== undefined) return keyFileSigner(flags.fromKeyFile);
  const key = signingKey(flags);
  if (key === undefined) throw usage('No signer is given. Use --from-key-file, --keystore, or --wallet with --address');
  return {
    address: key.address,
    sign: ({ summary }) => {
      announce(key, summary);
      return Promise.resolve({ key });
    },
  };
};
