// Compiles and deploys the contracts of Biconomy's accounts, of which the package has the source only.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import solc from 'solc';
import { createTestClient, encodeDeployData, http, publicActions, walletActions } from 'viem';
import { localhost } from 'viem/chains';

const FOLDER = '@biconomy-devx/account-contracts-v2/contracts/smart-account';
const CONTRACTS = {
  SmartAccount: `${FOLDER}/SmartAccount.sol`,
  SmartAccountFactory: `${FOLDER}/factory/SmartAccountFactory.sol`,
  EcdsaOwnershipRegistryModule: `${FOLDER}/modules/EcdsaOwnershipRegistryModule.sol`,
};
const contents = (path) => readFileSync(join(import.meta.dirname, 'node_modules', path), 'utf8');

const compile = () => {
  const wanted = ['abi', 'evm.bytecode.object'];
  const outputs = Object.entries(CONTRACTS).map(([name, path]) => [path, { [name]: wanted }]);
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(Object.values(CONTRACTS).map((path) => [path, { content: contents(path) }])),
    // As Biconomy built what it deployed.
    settings: { optimizer: { enabled: true, runs: 800 }, viaIR: true, outputSelection: Object.fromEntries(outputs) },
  };
  const { contracts } = JSON.parse(
    solc.compile(JSON.stringify(input), { import: (path) => ({ contents: contents(path) }) }),
  );
  return Object.fromEntries(
    Object.entries(CONTRACTS).map(([name, path]) => {
      const { abi, evm } = contracts[path][name];
      return [name, { abi, bytecode: `0x${evm.bytecode.object}` }];
    }),
  );
};

/** Deploys them for an EntryPoint. */
export const deployBiconomy = async ({ rpcUrl, entryPoint }) => {
  const artifacts = compile();
  const node = createTestClient({ chain: localhost, mode: 'anvil', transport: http(rpcUrl), pollingInterval: 50 })
    .extend(publicActions)
    .extend(walletActions);
  const [account] = await node.getAddresses();
  const deploy = async (name, args = []) => {
    const hash = await node.sendTransaction({ account, data: encodeDeployData({ ...artifacts[name], args }) });
    return (await node.waitForTransactionReceipt({ hash })).contractAddress;
  };
  const implementationAddress = await deploy('SmartAccount', [entryPoint.address]);
  const factoryAddress = await deploy('SmartAccountFactory', [implementationAddress, account]);
  const moduleAddress = await deploy('EcdsaOwnershipRegistryModule');
  const factory = { address: factoryAddress, abi: artifacts.SmartAccountFactory.abi };
  const defaultFallbackHandler = await node.readContract({ ...factory, functionName: 'minimalHandler' });
  const addressOf = (initData) => {
    const args = [moduleAddress, initData, 0n];
    return node.readContract({ ...factory, functionName: 'getAddressForCounterFactualAccount', args });
  };
  return { factoryAddress, implementationAddress, defaultFallbackHandler, moduleAddress, addressOf };
};
