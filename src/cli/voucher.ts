import { z } from 'zod';
import { voucherDigest } from '../core/identity/voucher.ts';
import { EngineError } from '../shared/errors.ts';
import { address } from '../shared/schema/hex.ts';
import { parse } from '../shared/schema/parse.ts';
import { id } from '../shared/schema/text.ts';
import { command, group, printFromDesk, wholeNumber } from './command.ts';
import { type DeskOptions, secretIn } from './desk.ts';
import { withFields } from './fields.ts';
import { withIds } from './names.ts';
import { terminal } from './terminal.ts';
import { dapp } from './words.ts';

/** The longest time for which Gasdesk accepts a voucher. */
const LONGEST_SECONDS = 30 * 86_400;

const voucher = z.strictObject({ paymasterId: id, sender: address, subject: z.string().min(1).max(256) });

type SignOptions = DeskOptions & { readonly keyFile?: string; readonly expiresIn: number };

/** The key that signs, from its file or the environment. @throws EngineError `VALIDATION` */
const signingKey = async ({ keyFile }: SignOptions) => {
  const { GASDESK_VOUCHER_KEY = '' } = terminal().env;
  const text = keyFile === undefined ? GASDESK_VOUCHER_KEY : secretIn(keyFile);
  if (text === '')
    throw new EngineError('VALIDATION', 'The signing key is missing. Set GASDESK_VOUCHER_KEY, or use --key-file');
  // Imported here because other commands do not need it.
  const { SigningKey } = await import('ethers');
  try {
    return new SigningKey(text);
  } catch {
    // ethers's own message may quote the key.
    throw new EngineError('VALIDATION', 'The signing key must be a secp256k1 private key: 0x and 64 hex digits');
  }
};

const sign = withFields(
  command('sign', "Sign a voucher, as the DApp's backend does, and print it as JSON for context.voucher"),
  voucher,
  {
    paymasterId: dapp,
    sender: '--sender <address>  account that sends the operation',
    subject: '--subject <text>  the person, in a form that never changes, such as a user id',
  },
  (typed: z.input<typeof voucher>, options: SignOptions) =>
    printFromDesk({ ...options, json: true }, async (call) => {
      const { paymasterId, sender, subject } = parse(voucher, await withIds(call, typed));
      const key = await signingKey(options);
      const found = (await call('paymasters.list', {})).find((one) => one.paymasterId === paymasterId);
      if (found === undefined) throw new EngineError('PAYMASTER_NOT_FOUND');
      const expiresAt = Math.floor(Date.now() / 1000) + options.expiresIn;
      const said = { sender, subject, expiresAt: BigInt(expiresAt) };
      const { serialized } = key.sign(voucherDigest({ chainId: found.chainId, paymasterId }, said));
      return { subject, expiresAt, signature: serialized };
    }),
  true,
)
  .option('--expires-in <seconds>', 'how long it is valid', wholeNumber(1, LONGEST_SECONDS), 3_600)
  .option('--key-file <file>', "file with the private key of the DApp's backend (default: $GASDESK_VOUCHER_KEY)");

/** `gasdesk voucher` */
export const voucherCommand = group('voucher', 'Vouchers, by which a DApp says who its users are', [sign]);
