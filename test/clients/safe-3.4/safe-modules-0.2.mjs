// Deploys modules 0.2.0 of Safe, which no package has, from Safe's source of 0.3.0: what differs is the form of
// operations, which 0.2.0 takes from EntryPoint 0.6, and the order and the types of what owners sign.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { getAddModulesLibDeployment, getSafe4337ModuleDeployment } from '@safe-global/safe-modules-deployments';
import solc from 'solc';
import { createTestClient, encodeDeployData, http, keccak256, publicActions, stringToHex, walletActions } from 'viem';
import { localhost } from 'viem/chains';

const require = createRequire(import.meta.url);
const contents = (path) => readFileSync(join(import.meta.dirname, 'node_modules', path), 'utf8');

const MODULE = '@safe-global/safe-4337/contracts/Safe4337Module.sol';
const SAFE_OP =
  'SafeOp(address safe,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit,uint256 verificationGasLimit,' +
  'uint256 preVerificationGas,uint256 maxFeePerGas,uint256 maxPriorityFeePerGas,bytes paymasterAndData,' +
  'uint48 validAfter,uint48 validUntil,address entryPoint)';

const swap = (source, one, other) => source.replace(`${one}\n        ${other}`, `${other}\n        ${one}`);
const asVersion02 = (source) =>
  swap(
    swap(source, 'uint128 verificationGasLimit;', 'uint128 callGasLimit;'),
    'uint128 maxPriorityFeePerGas;',
    'uint128 maxFeePerGas;',
  )
    .replace(/import \{UserOperationLib\}.*/, '')
    .replace('using UserOperationLib for PackedUserOperation;', '')
    .replaceAll('PackedUserOperation', 'UserOperation')
    .replace(/(SAFE_OP_TYPEHASH =) \w+/, `$1 ${keccak256(stringToHex(SAFE_OP))}`)
    .replaceAll(/userOp\.unpack(\w)(\w+)\(\)/g, (_, first, rest) => `userOp.${first.toLowerCase()}${rest}`);

const compileModule = () => {
  const input = {
    language: 'Solidity',
    sources: { [MODULE]: { content: asVersion02(contents(MODULE)) } },
    settings: {
      optimizer: { enabled: true },
      outputSelection: { [MODULE]: { Safe4337Module: ['abi', 'evm.bytecode.object'] } },
    },
  };
  const output = solc.compile(JSON.stringify(input), { import: (path) => ({ contents: contents(path) }) });
  const { abi, evm } = JSON.parse(output).contracts[MODULE].Safe4337Module;
  return { abi, bytecode: `0x${evm.bytecode.object}` };
};

/** The modules' list names no local chain; they have one address on all. */
const onMainnet = (deploymentOf) => deploymentOf({ version: '0.2.0', network: '1' }).networkAddresses['1'];
export const safe4337ModuleAddress = onMainnet(getSafe4337ModuleDeployment);
export const addModulesLibAddress = onMainnet(getAddModulesLibDeployment);

/** Puts them where every public chain has them. */
export const deployModules02 = async ({ rpcUrl, entryPoint }) => {
  const node = createTestClient({ chain: localhost, mode: 'anvil', transport: http(rpcUrl), pollingInterval: 50 })
    .extend(publicActions)
    .extend(walletActions);
  if (await node.getCode({ address: safe4337ModuleAddress })) return;
  const [account] = await node.getAddresses();
  const deployAs = async (address, artifact, args = []) => {
    const hash = await node.sendTransaction({ account, data: encodeDeployData({ ...artifact, args }) });
    const { contractAddress } = await node.waitForTransactionReceipt({ hash });
    await node.setCode({ address, bytecode: await node.getCode({ address: contractAddress }) });
  };
  // It has another name since, and the same function.
  const setup = require('@safe-global/safe-4337/build/artifacts/contracts/SafeModuleSetup.sol/SafeModuleSetup.json');
  await deployAs(addModulesLibAddress, setup);
  await deployAs(safe4337ModuleAddress, compileModule(), [entryPoint.address]);
};
