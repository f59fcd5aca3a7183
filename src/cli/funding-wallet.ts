import { Option } from 'commander';
import type { Caller } from '../engine/service/index.ts';
import type { SigningKey } from '../shared/contract/keys.ts';
import { EngineError } from '../shared/errors.ts';
import type { Address } from '../shared/schema/hex.ts';
import { command, group, printFromDesk } from './command.ts';
import { type DeskOptions, readSecretFile, withDesk } from './desk.ts';

type DappOptions = DeskOptions & { paymaster: string };

interface Proof {
  readonly signature: string;
  readonly address: Address;
}

/** Who signs, as the flags say it. */
interface SignerOptions {
  readonly keystore?: Address;
  readonly passwordFile?: string;
  readonly wallet?: string;
  readonly signature?: string;
  readonly address?: Address;
}

const ofDapp = (name: string, summary: string) =>
  command(name, summary).requiredOption('--paymaster <id>', 'paymasterId of the DApp, as "paymaster list" shows it');

const message = ofDapp('message', 'Issue the message that the funding wallet has to sign within ten minutes').action(
  async ({ paymaster: paymasterId, ...options }: DappOptions) => {
    const issued = await withDesk(options, (call) => call('paymasters.fundingMessage', { paymasterId }));
    // As it is: what is signed is these bytes, and no line break after them.
    process.stdout.write(options.json === true ? `${JSON.stringify(issued)}\n` : issued.fundingMessage);
  },
);

const history = ofDapp('history', 'List the changes of the funding wallet with their proofs').action(
  ({ paymaster: paymasterId, ...options }: DappOptions) =>
    printFromDesk(options, (call) => call('funding.history', { paymasterId })),
);

const usage = (message: string): EngineError => new EngineError('VALIDATION', message);

/** Undefined where the signature was made elsewhere. */
const signingKey = ({ keystore, passwordFile, wallet, address }: SignerOptions): SigningKey | undefined => {
  if (keystore !== undefined) {
    if (passwordFile === undefined) throw usage('Give the password of the keystore by --password-file');
    return { kind: 'keystore', address: keystore, password: readSecretFile(passwordFile).reveal() };
  }
  if (wallet === undefined) return undefined;
  if (address === undefined) throw usage('Say which account of the wallet signs, by --address');
  return { kind: 'wallet', url: wallet, address };
};

const prove = async (call: Caller, paymasterId: string, options: SignerOptions): Promise<Proof> => {
  const { signature, address } = options;
  const key = signingKey(options);
  if (key !== undefined) {
    const { fundingMessage } = await call('paymasters.fundingMessage', { paymasterId });
    if (key.kind === 'wallet') console.error(`Confirm in the wallet:\n${fundingMessage}`);
    return call('funding.sign', { paymasterId, key });
  }
  if (signature !== undefined && address !== undefined) return { signature, address };
  throw usage('Say who signs: --keystore, --wallet with --address, or --signature with --address');
};

const set = ofDapp('set', 'Change the funding wallet, proved by its signature of the funding message')
  .option('--keystore <address>', 'a local key signs')
  .option('--password-file <file>', 'file with the password of that key')
  .addOption(
    new Option('--wallet <url>', 'a wallet on this machine signs, such as http://127.0.0.1:1248').conflicts('keystore'),
  )
  .addOption(
    new Option('--signature <hex>', 'signature of what "funding-wallet message" printed last').conflicts([
      'keystore',
      'wallet',
    ]),
  )
  .option('--address <address>', 'the funding wallet: the account that signs or did sign')
  .action(({ paymaster: paymasterId, ...options }: DappOptions & SignerOptions) =>
    printFromDesk(options, async (call) => {
      const proof = await prove(call, paymasterId, options);
      const change = { paymasterId, type: 'paymasterFundingId', ...proof } as const;
      const { name, fundingWallet } = await call('paymasters.setFundingWallet', change);
      return { paymasterId, name, fundingWallet };
    }),
  );

/** `gasdesk funding-wallet` */
export const fundingWalletCommand = group('funding-wallet', 'Funding wallets of DApps', [set, message, history]);
