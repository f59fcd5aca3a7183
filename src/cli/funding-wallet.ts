import { Option } from 'commander';
import type { Caller } from '../api/index.ts';
import { EngineError } from '../shared/errors.ts';
import type { Address } from '../shared/schema/hex.ts';
import { command, group, printFromDesk } from './command.ts';
import { type DeskOptions, withDesk } from './desk.ts';
import { type SigningKeyFlags, announce, signingKey, withSigningKeyFlags } from './operator-key.ts';
import { terminal } from './terminal.ts';

type DappOptions = DeskOptions & { paymaster: string };

interface Proof {
  readonly signature: string;
  readonly address: Address;
}

/** Who signs, or did sign elsewhere, as the flags say it. */
interface SignerOptions extends SigningKeyFlags {
  readonly signature?: string;
}

const ofDapp = (name: string, summary: string) =>
  command(name, summary).requiredOption('--paymaster <id>', 'paymasterId of the DApp, as "paymaster list" shows it');

const message = ofDapp('message', 'Issue the message for the funding wallet to sign within ten minutes').action(
  async ({ paymaster: paymasterId, ...options }: DappOptions) => {
    const issued = await withDesk(options, (call) => call('paymasters.fundingMessage', { paymasterId }));
    // As it is: what is signed is these bytes, and no line break after them.
    terminal().stdout.write(options.json === true ? `${JSON.stringify(issued)}\n` : issued.fundingMessage);
  },
);

const history = ofDapp('history', 'List the changes of the funding wallet with their signatures').action(
  ({ paymaster: paymasterId, ...options }: DappOptions) =>
    printFromDesk(options, (call) => call('funding.history', { paymasterId })),
);

const prove = async (call: Caller, paymasterId: string, options: SignerOptions): Promise<Proof> => {
  const { signature, address } = options;
  const key = signingKey(options);
  if (key !== undefined) {
    const { fundingMessage } = await call('paymasters.fundingMessage', { paymasterId });
    announce(key, fundingMessage);
    return call('funding.sign', { paymasterId, key });
  }
  if (signature !== undefined && address !== undefined) return { signature, address };
  const fix = 'No signer is given. Use --keystore, --wallet with --address, or --signature with --address';
  throw new EngineError('VALIDATION', fix);
};

const set = withSigningKeyFlags(
  ofDapp('set', 'Change the funding wallet; the new wallet signs the funding message'),
  'the funding wallet: the account that signs the message',
)
  .addOption(
    new Option('--signature <hex>', 'signature of the newest message from "funding-wallet message"').conflicts([
      'keystore',
      'wallet',
    ]),
  )
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
