// Puts MetaMask's contracts where every public chain has them.
import { createPublicClient, createTestClient, createWalletClient, http } from 'viem';
import { localhost, sepolia } from 'viem/chains';

const contractsOf = ({ implementations, SimpleFactory, DelegationManager }) =>
  Object.entries({ ...implementations, SimpleFactory, DelegationManager });

/** Of an SDK that exports these two. @returns their environment, as on public chains */
export const deployMetaMask = async (sdk, rpcUrl) => {
  const transport = http(rpcUrl);
  const known = sdk.environmentOf(sepolia.id);
  const client = createPublicClient({ chain: localhost, transport });
  if (await client.getCode({ address: known.SimpleFactory })) return known;
  const node = createTestClient({ chain: localhost, mode: 'anvil', transport });
  const [account] = await createWalletClient({ chain: localhost, transport }).getAddresses();
  const wallet = createWalletClient({ account, chain: localhost, transport });
  const deployed = await sdk.deploy(wallet, client, localhost, { EntryPoint: known.EntryPoint });
  const made = Object.fromEntries(contractsOf(deployed));
  // A contract's code has its own address in it, and those of others.
  const digits = (address) => address.slice(2).toLowerCase();
  const asKnown = (code) =>
    contractsOf(known).reduce((text, [name, address]) => text.replaceAll(digits(made[name]), digits(address)), code);
  for (const [name, address] of contractsOf(known)) {
    await node.setCode({ address, bytecode: asKnown(await client.getCode({ address: made[name] })) });
  }
  return known;
};
