import { Option } from 'commander';
import { EngineError } from '../shared/errors.ts';
import { command, group, printFromDesk } from './command.ts';
import type { DeskOptions } from './desk.ts';

const list = command('list', 'List DApps with their keys, contracts, signers and funding wallets').action(
  (options: DeskOptions) =>
    printFromDesk(options, async (call) => {
      const [paymasters, contracts, signers] = await Promise.all([
        call('paymasters.list', {}),
        call('paymasterContracts.list', {}),
        call('signers.list', {}),
      ]);
      return paymasters.map(({ paymasterId, name, apiKey, chainId, version, fundingWallet, allowedOrigins }) => ({
        paymasterId,
        name,
        apiKey,
        chainId,
        version,
        contract: contracts.find((one) => one.chainId === chainId && one.version === version)?.address ?? null,
        signer: signers.find((one) => one.chainId === chainId)?.address ?? null,
        fundingWallet,
        allowedOrigins,
      }));
    }),
);

const origins = command('origins', 'Say from which origins browsers may use the API key of a DApp')
  .argument('<id>', 'paymasterId of the DApp')
  .option('--allow <origin...>', 'only from these, such as https://app.example')
  .addOption(new Option('--any', 'from any').conflicts('allow'))
  .action((paymasterId: string, { allow, any, ...options }: DeskOptions & { allow?: string[]; any?: true }) =>
    printFromDesk(options, (call) => {
      const allowed = any === true ? ['*'] : allow;
      if (allowed === undefined) throw new EngineError('VALIDATION', 'Say --allow with the origins, or --any');
      return call('paymasters.setOrigins', { paymasterId, origins: allowed });
    }),
  );

/** `gasdesk paymaster` */
export const paymasterCommand = group('paymaster', 'DApps', [list, origins]);
