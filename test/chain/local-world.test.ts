import { AbiCoder, keccak256, parseEther } from 'ethers';
import { beforeAll, expect, test } from 'vitest';
import {
  ENTRY_POINT_V06,
  contractAt,
  deployEntryPoint,
  deployVerifyingPaymaster,
  deployVerifyingSingletonPaymaster,
  deployWorld,
  devWallet,
  fundDeposit,
  fundGasTank,
} from '../../src/demo/world-contracts.ts';
import type { WorldContracts } from '../../src/demo/world-contracts.ts';
import { loadArtifact } from '../../src/engine/chain/artifacts.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { useLocalChain } from '../support/local-chain.ts';

const chain = useLocalChain();
const deployer = () => devWallet(0, chain().provider);
const signer: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const fundingWallet: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
let world: WorldContracts;
beforeAll(async () => {
  world = await deployWorld(deployer());
});

test('the EntryPoint answers at its canonical address, and deploying it again is harmless', async () => {
  expect(world.entryPoint).toBe(ENTRY_POINT_V06);
  expect(await deployEntryPoint(deployer())).toBe(ENTRY_POINT_V06);
  const entryPoint = await contractAt('EntryPoint', ENTRY_POINT_V06, chain().provider);
  expect(await entryPoint.getFunction('getNonce')(signer, 0)).toBe(0n);
});

test('a gas tank holds what was paid into it, and the paymaster obeys its signer', async () => {
  const wiring = { owner: deployer().address as Address, entryPoint: ENTRY_POINT_V06, verifyingSigner: signer };
  const address = await deployVerifyingSingletonPaymaster(wiring, deployer());
  const paymaster = await contractAt('VerifyingSingletonPaymaster', address, chain().provider);
  await fundGasTank(address, fundingWallet, parseEther('2'), deployer());
  expect(await paymaster.getFunction('owner')()).toBe(wiring.owner);
  expect(await paymaster.getFunction('verifyingSigner')()).toBe(signer);
  expect(await paymaster.getFunction('ENTRY_POINT')()).toBe(ENTRY_POINT_V06);
  expect(await paymaster.getFunction('getBalance')(fundingWallet)).toBe(parseEther('2'));
  expect(await paymaster.getFunction('getBalance')(signer)).toBe(0n);

  const slot = (await loadArtifact('VerifyingSingletonPaymaster')).storage?.['paymasterIdBalances'];
  const key = keccak256(AbiCoder.defaultAbiCoder().encode(['address', 'uint256'], [fundingWallet, slot]));
  expect(BigInt(await chain().provider.getStorage(address, key))).toBe(parseEther('2'));
});

test('a VerifyingPaymaster pays from its deposit, and obeys its signer', async () => {
  const address = await deployVerifyingPaymaster({ entryPoint: ENTRY_POINT_V06, verifyingSigner: signer }, deployer());
  const paymaster = await contractAt('VerifyingPaymaster', address, chain().provider);
  await fundDeposit(ENTRY_POINT_V06, address, parseEther('3'), deployer());
  expect(await paymaster.getFunction('verifyingSigner')()).toBe(signer);
  expect(await paymaster.getFunction('getDeposit')()).toBe(parseEther('3'));
});
