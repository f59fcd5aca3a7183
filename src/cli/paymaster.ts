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
      return paymasters.map(({ paymasterId, name, apiKey, chainId, version, fundingWallet }) => ({
        paymasterId,
        name,
        apiKey,
        chainId,
        version,
        contract: contracts.find((one) => one.chainId === chainId && one.version === version)?.address ?? null,
        signer: signers.find((one) => one.chainId === chainId)?.address ?? null,
        fundingWallet,
      }));
    }),
);

/** `gasdesk paymaster` */
export const paymasterCommand = group('paymaster', 'DApps', [list]);
