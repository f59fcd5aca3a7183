import { Argument, Option } from 'commander';
import { maxExpiry } from '../api/paymasters.ts';
import { EngineError } from '../shared/errors.ts';
import { command, group, printFromDesk, wholeNumber } from './command.ts';
import type { DeskOptions } from './desk.ts';

const list = command('list', 'List DApps with their keys, contracts, signers and funding wallets').action(
  (options: DeskOptions) =>
    printFromDesk(options, async (call) => {
      const [paymasters, contracts, signers, chains] = await Promise.all([
        call('paymasters.list', {}),
        call('paymasterContracts.list', {}),
        call('signers.list', {}),
        call('chains.list', {}),
      ]);
      return paymasters.map(({ paymasterId, name, apiKey, chainId, version, fundingWallet, ...settings }) => ({
        ...{ paymasterId, name, apiKey, chainId, version },
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
    }),
);

const origins = command('origins', 'Set the origins from which browsers may use the API key of a DApp')
  .argument('<id>', 'paymasterId of the DApp')
  .option('--allow <origin...>', 'allowed origins, such as https://app.example')
  .addOption(new Option('--any', 'allow every origin').conflicts('allow'))
  .action((paymasterId: string, { allow, any, ...options }: DeskOptions & { allow?: string[]; any?: true }) =>
    printFromDesk(options, (call) => {
      const allowed = any === true ? ['*'] : allow;
      if (allowed === undefined)
        throw new EngineError('VALIDATION', 'No origins are given. Use --allow with the origins, or --any');
      return call('paymasters.setOrigins', { paymasterId, origins: allowed });
    }),
  );

const expiry = command('expiry', "Set the longest validity that a DApp's requests may ask for")
  .argument('<id>', 'paymasterId of the DApp')
  .requiredOption(
    '--most <seconds>',
    `longest expiryDuration in a request, from ${maxExpiry.least} to ${maxExpiry.most}`,
    wholeNumber(maxExpiry.least, maxExpiry.most),
  )
  .action((paymasterId: string, { most: seconds, ...options }: DeskOptions & { most: number }) =>
    printFromDesk(options, (call) => call('paymasters.setMaxExpiry', { paymasterId, seconds })),
  );

const tokenMode = command('token-mode', 'Set whether users of a DApp may pay in tokens instead of being sponsored')
  .argument('<id>', 'paymasterId of the DApp')
  .addArgument(
    new Argument('<state>', 'on: in every fee token of the chain, without the rules of sponsorship').choices([
      'on',
      'off',
    ]),
  )
  .action((paymasterId: string, state: 'on' | 'off', options: DeskOptions) =>
    printFromDesk(options, (call) => call('paymasters.setTokenMode', { paymasterId, tokenMode: state === 'on' })),
  );

const sponsor = command('sponsor', 'Set what wallets show about the sponsor (ERC-7677)')
  .argument('<id>', 'paymasterId of the DApp')
  .option('--icon <url>', 'https or data:image URL of an icon, shown beside the name of the DApp')
  .option(
    '--hide',
    'omit sponsor and isFinal from stub data, for wallets that mistake them for fields of the operation',
  )
  .action((paymasterId: string, { icon, hide, ...options }: DeskOptions & { icon?: string; hide?: true }) =>
    printFromDesk(options, (call) =>
      call('paymasters.setSponsor', { paymasterId, icon: icon ?? null, isTold: hide !== true }),
    ),
  );

/** `gasdesk paymaster` */
export const paymasterCommand = group('paymaster', 'DApps', [list, origins, expiry, tokenMode, sponsor]);
