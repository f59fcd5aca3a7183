import { Option } from 'commander';
import type { Caller } from '../api/index.ts';
import { EngineError } from '../shared/errors.ts';
import type { Address } from '../shared/schema/hex.ts';
import { command, group, printFromDesk } from './command.ts';
import type { DeskOptions } from './desk.ts';
import { calling, forPeople } from './fields.ts';
import { withIds } from './names.ts';
import { type SigningKeyFlags, announce, signingKey, withSigningKeyFlags } from './operator-key.ts';
import { dapp } from './words.ts';

interface Proof {
  readonly signature: string;
  readonly address: Address;
}

/** Flags for the key that signs, or for a signature made elsewhere. */
interface SignerOptions extends SigningKeyFlags {
  readonly signature?: string;
}

const prove = async (call: Caller, id: string, options: SignerOptions): Promise<Proof> => {
  const { signature, address } = options;
  const key = signingKey(options);
  if (key !== undefined) {
    const { fundingMessage } = await call('paymasters.fundingMessage', { paymasterId: id });
    announce(key, fundingMessage);
    return call('funding.sign', { paymasterId: id, key });
  }
  if (signature !== undefined && address !== undefined) return { signature, address };
  const fix = 'No signer is given. Use --keystore, --wallet with --address, or --signature with --address';
  throw new EngineError('VALIDATION', fix);
};

const set = withSigningKeyFlags(
  command('set', 'Change the funding wallet; the new wallet signs the funding message').requiredOption(
    '--dapp <dapp>',
    'name of the DApp, or its id',
  ),
  'the funding wallet: the account that signs the message',
)
  .addOption(
    new Option('--signature <hex>', 'signature of the newest message from "funding-wallet message"').conflicts([
      'keystore',
      'wallet',
    ]),
  )
  .action(({ dapp: typed, ...options }: DeskOptions & SignerOptions & { dapp: string }) =>
    printFromDesk(options, async (call) => {
      const { paymasterId } = await withIds(call, { paymasterId: typed });
      const proof = await prove(call, paymasterId, options);
      const change = { paymasterId, type: 'paymasterFundingId', ...proof } as const;
      const { name, fundingWallet } = await call('paymasters.setFundingWallet', change);
      return { paymasterId, name, fundingWallet };
    }),
  );

/** `gasdesk funding-wallet` */
export const fundingWalletCommand = group('funding-wallet', 'Funding wallets of DApps', [
  set,
  calling(
    'message',
    'Issue the message for the funding wallet to sign within ten minutes',
    'paymasters.fundingMessage',
    { paymasterId: dapp },
    // Printed unchanged, because exactly these bytes are signed, without a line break.
    forPeople(({ fundingMessage }) => fundingMessage),
  ),
  calling('history', 'List the changes of the funding wallet with their signatures', 'funding.history', {
    paymasterId: dapp,
  }),
]);
