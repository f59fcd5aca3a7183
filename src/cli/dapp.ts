import { Option } from 'commander';
import { maxExpiry } from '../api/paymasters.ts';
import { EngineError } from '../shared/errors.ts';
import { group, printFromDesk } from './command.ts';
import { calling, taking } from './fields.ts';
import { chain } from './words.ts';

const paymasterId = '<dapp>  name of the DApp, or its id';

const list = calling(
  'list',
  'List DApps with their keys, contracts, signers and funding wallets',
  'paymasters.list',
  { accountId: null },
  async (paymasters, { call }) => {
    const [contracts, signers, chains] = await Promise.all([
      call('paymasterContracts.list', {}),
      call('signers.list', {}),
      call('chains.list', {}),
    ]);
    return paymasters.map(({ paymasterId: id, name, apiKey, chainId, version, fundingWallet, ...settings }) => ({
      paymasterId: id,
      name,
      apiKey,
      chainId,
      version,
      contract: contracts.find((one) => one.chainId === chainId && one.version === version)?.address ?? null,
      signer: signers.find((one) => one.chainId === chainId)?.address ?? null,
      fundingWallet,
      unchecked: chains.some((one) => one.chainId === chainId && one.unchecked),
      allowedOrigins: settings.allowedOrigins,
      maxExpirySeconds: settings.maxExpirySeconds,
      tokenMode: settings.tokenMode,
      sponsor: settings.sponsor ?? { icon: null, isTold: true },
      paused: settings.paused,
    }));
  },
);

const originsOf = ({ allow, any }: { readonly allow?: string[]; readonly any?: true }): string[] => {
  const allowed = any === true ? ['*'] : allow;
  if (allowed !== undefined) return allowed;
  throw new EngineError('VALIDATION', 'No origins are given. Use --allow with the origins, or --any');
};

const create = taking(
  'create',
  'Register a DApp',
  'paymasters.create',
  {
    name: 'name of the DApp',
    chainId: chain,
    version: { words: 'version of the paymaster contract', byDefault: '1.1.0' },
    tokenMode: 'let users pay in the fee tokens of the chain, instead of being sponsored',
    type: { read: () => 'HYBRID' as const },
    accountId: {
      add: (to) => to.option('--account <account>', 'account that owns it: its name, or its id (default: the first)'),
      read: ({ account = '' }: { readonly account?: string }) => account,
    },
  },
  (input, options) =>
    printFromDesk(options, async (call) => {
      const [first] = await call('accounts.list', {});
      return call('paymasters.create', { ...input, accountId: input.accountId || (first?.accountId ?? '') });
    }),
);

/** `gasdesk dapp` */
export const dappCommand = group('dapp', 'DApps', [
  list,
  create,
  calling('origins', 'Set the origins from which browsers may use the API key of a DApp', 'paymasters.setOrigins', {
    paymasterId,
    origins: {
      add: (to) =>
        to
          .option('--allow <origin...>', 'allowed origins, such as https://app.example')
          .addOption(new Option('--any', 'allow every origin').conflicts('allow')),
      read: originsOf,
    },
  }),
  calling('expiry', "Set the longest validity that a DApp's requests may ask for", 'paymasters.setMaxExpiry', {
    paymasterId,
    seconds: `--most <seconds>  longest expiryDuration in a request, from ${maxExpiry.least} to ${maxExpiry.most}`,
  }),
  calling(
    'token-mode',
    'Set whether users of a DApp may pay in tokens instead of being sponsored',
    'paymasters.setTokenMode',
    {
      paymasterId,
      tokenMode:
        '<state>  on: users may pay in every fee token of the chain, and sponsorship rules do not apply to them',
    },
  ),
  calling('sponsor', 'Set what wallets show about the sponsor (ERC-7677)', 'paymasters.setSponsor', {
    paymasterId,
    icon: '--icon <url>  https or data:image URL of an icon, shown next to the name of the DApp',
    isTold: {
      add: (to) =>
        to.option(
          '--hide',
          'omit sponsor and isFinal from stub data, for wallets that mistake them for fields of the operation',
        ),
      read: ({ hide }: { readonly hide?: true }) => hide !== true,
    },
  }),
]);
