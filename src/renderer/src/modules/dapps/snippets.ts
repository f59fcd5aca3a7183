import { entryPoint06 } from '../../../../core/entry-points/0.6.ts';
import type { Dapp } from '../../desk/types.ts';

/** URL for a DApp's clients. Contains only the path if the service has no address. */
export const paymasterUrl = (serviceUrl: string | null | undefined, { chainId, apiKey }: Dapp): string =>
  `${serviceUrl ?? ''}/api/v2/${chainId}/${apiKey}`;

interface PaymasterEndpoint {
  readonly url: string;
  /** True if this URL also takes a bundler's methods. */
  readonly forwards: boolean;
  readonly chainId: number;
  readonly entryPointVersion: string;
  readonly entryPoint: string;
}

export interface Snippet {
  readonly title: string;
  readonly code: string;
}

const biconomy = ({
  url,
}: PaymasterEndpoint): string => `import { BiconomyPaymaster, PaymasterMode } from '@biconomy/account';

const paymaster = new BiconomyPaymaster({ paymasterUrl: '${url}' });

const sponsored = await paymaster.getPaymasterAndData(userOp, {
  mode: PaymasterMode.SPONSORED,
});`;

// Without `estimateFeesPerGas`, viem offers twice the tip that the chain asks for, which the rule `fees` may deny.
const viem = ({
  url,
  forwards,
  chainId,
  entryPointVersion,
  entryPoint,
}: PaymasterEndpoint): string => `import { createPimlicoClient } from 'permissionless/clients/pimlico';
import { http } from 'viem';
import { createBundlerClient } from 'viem/account-abstraction';

const paymaster = createPimlicoClient({
  transport: http('${url}'),
  entryPoint: { address: '${entryPoint}', version: '${entryPointVersion}' },
});
const bundlerClient = createBundlerClient({
  account, // your smart account on chain ${chainId}
  client,
  transport: http(${forwards ? `'${url}'` : 'bundlerUrl'}),
  paymaster,
  userOperation: { estimateFeesPerGas: async () => (await paymaster.getUserOperationGasPrice()).standard },
});

const hash = await bundlerClient.sendUserOperation({ calls: [{ to, data }] });`;

const V06_FIELDS = '"initCode": "0x"';

const curl = ({ url, entryPointVersion, entryPoint }: PaymasterEndpoint): string => {
  const fields = entryPointVersion === entryPoint06.version ? `, ${V06_FIELDS}` : '';
  // The EntryPoint takes the place of an account, because it has code on every chain. Its validation would fail, but
  // Gasdesk does not simulate the validation of an operation whose nonce is one ahead.
  return `curl -s '${url}' \\
  -H 'content-type: application/json' \\
  -d '{
    "jsonrpc": "2.0", "id": 1, "method": "pm_sponsorUserOperation",
    "params": [
      {
        "sender": "${entryPoint}",
        "nonce": "0x1"${fields}, "callData": "0x",
        "callGasLimit": "200000", "verificationGasLimit": "500000", "preVerificationGas": "60000",
        "maxFeePerGas": "0x3b9aca00", "maxPriorityFeePerGas": "0x1", "signature": "0x"
      },
      { "mode": "SPONSORED" }
    ]
  }'`;
};

/** Code that calls this paymaster, with its URL. Biconomy's SDK supports only EntryPoint 0.6. */
export const snippetsFor = (endpoint: PaymasterEndpoint): Snippet[] => [
  { title: 'viem', code: viem(endpoint) },
  ...(endpoint.entryPointVersion === entryPoint06.version ? [{ title: 'Biconomy SDK', code: biconomy(endpoint) }] : []),
  { title: 'curl', code: curl(endpoint) },
];
