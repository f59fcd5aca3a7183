import { type HDNodeWallet, MaxUint256, parseEther, toQuantity } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { contractAt, deployContract, devWallet, fundDeposit, fundGasTank } from '../../src/demo/world-contracts.ts';
import type { Engine } from '../../src/engine/index.ts';
import type { EthCall } from '../../src/engine/paymaster/contract-reads.ts';
import type {
  ModeLayout,
  PaymasterLayout,
  SponsorshipTerms,
  TokenTerms,
} from '../../src/core/paymaster-layouts/layout.ts';
import { withPaymasterAndData } from '../../src/core/user-operation/paymaster-fields.ts';
import { layouts } from '../../src/core/paymaster-layouts/registry.ts';
import { signDigest } from '../../src/engine/signer/sign.ts';
import { allEntryPoints, entryPoints } from '../../src/core/entry-points/registry.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { EntryPointVersion, UserOperation } from '../../src/shared/schema/user-operation.ts';
import { type EntryPointWorld, type MinedOperation, deployEntryPointWorld } from '../support/entry-point-world.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { quickEngine } from '../support/quick-engine.ts';
import { operationOf, vectorCases } from '../support/vectors.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

const chain = useLocalChain();
const dir = makeTempFolder();
const RATE = 3_000n * 10n ** 6n;
const worlds = new Map<EntryPointVersion, EntryPointWorld>();
let engine: Engine;
let operator: HDNodeWallet;
let signer: HDNodeWallet;
let treasury: HDNodeWallet;
let fundingWallet: Address;
let token: Address;

beforeAll(async () => {
  const { provider, chainId, url } = chain();
  operator = devWallet(0, provider);
  signer = devWallet(5, provider);
  treasury = devWallet(6, provider);
  fundingWallet = devWallet(7, provider).address as Address;
  for (const { version } of allEntryPoints) {
    worlds.set(version, await deployEntryPointWorld(operator, chainId, version));
  }
  token = await deployContract(
    'ERC20PresetFixedSupply',
    ['Test', 'TST', parseEther('1000'), operator.address],
    operator,
  );
  engine = await quickEngine(dir);
  await engine.service.call('chains.set', { chainId, rpc: url });
  await engine.service.call('signers.import', { chainId, privateKey: signer.privateKey });
});
afterAll(async () => {
  await engine.stop();
  removeTempFolder(dir);
});

const rpcCall: EthCall = async (to, data) => (await chain().provider.call({ to, data })) as Hex;

const worldOf = ({ entryPointVersion }: PaymasterLayout): EntryPointWorld => {
  const world = worlds.get(entryPointVersion);
  if (world === undefined) throw new Error('no world');
  return world;
};

/** Deploys the contract as `gasdesk contract deploy` does, and gives it money. */
const deployed = async (layout: PaymasterLayout): Promise<Address> => {
  const target = { chainId: chain().chainId, version: layout.version };
  const address = await attachNewContract(engine.service, operator, target);
  const attached = await engine.service.call('paymasterContracts.list', {});
  expect(attached).toContainEqual({ ...target, address, checked: true });
  const { entryPoint } = worldOf(layout);
  if (layout.hasTanks) await fundGasTank(address, fundingWallet, parseEther('1'), operator);
  else await fundDeposit(entryPoint, address, parseEther('1'), operator);
  return address;
};

const sponsored = <Terms>(mode: ModeLayout<Terms>, op: UserOperation, terms: Terms): UserOperation =>
  withPaymasterAndData(op, mode.encode(op, terms, signDigest(signer.privateKey as Hex, mode.hash(op, terms))));

let salt = 0n;
const firstOperation = async (world: EntryPointWorld, call: { to: Address; data: Hex }) => {
  const account = await world.newAccount(operator, (salt += 1n));
  return world.firstOperation(account, call);
};

const termsFor = (paymaster: Address): SponsorshipTerms => ({
  chainId: chain().chainId,
  paymaster,
  validAfter: 0,
  validUntil: 2 ** 40,
  fundingWallet,
  senderNonce: 0n,
});

const deployable = layouts.filter(({ deployment }) => deployment !== undefined);

it('every version whose code comes with a package can be deployed', () => {
  expect(deployable.map(({ version }) => version)).toEqual([
    '1.1.0',
    'verifying-0.6',
    'verifying-0.7',
    'singleton-0.6',
    'singleton-0.7',
    'singleton-0.8',
    'singleton-0.9',
    'parallel-0.9',
  ]);
});

it.each(allEntryPoints)('EntryPoint $version answers at its canonical address', async ({ version, address }) => {
  expect(worlds.get(version)?.entryPoint).toBe(address);
  expect(await worlds.get(version)?.deposit(operator.address as Address)).toBe(0n);
});

it('the other build of SingletonPaymasterV8 is recognised, with both hashes', async () => {
  const [npmBuild] = layouts.filter(({ version }) => version === 'singleton-0.8');
  if (npmBuild === undefined) throw new Error('no layout');
  const target = { chainId: chain().chainId, version: 'singleton-0.8-eip7702', address: await deployed(npmBuild) };
  await expect(engine.service.call('paymasterContracts.use', target)).rejects.toMatchObject({
    code: 'CONTRACT_MISMATCH',
    message: /another build/,
  });
});

describe.each(deployable)('$version', (layout) => {
  it('is deployed with the signer of the vault, and pays for an operation', async () => {
    const world = worldOf(layout);
    const paymaster = await deployed(layout);
    const op = sponsored(layout, await firstOperation(world, { to: token, data: '0x18160ddd' }), termsFor(paymaster));
    const before = await world.deposit(paymaster);
    const mined = await world.mine(await world.sign(op, operator));
    expect(mined).toMatchObject({ success: true, paymaster });
    expect(await world.deposit(paymaster)).toBe(before - mined.actualGasCost);
    expect(mined.actualGasCost).toBeLessThanOrEqual(layout.reservedCost(op));
  });

  it('is not attached for a key it does not know', async () => {
    const paymaster = await deployed(layout);
    const { chainId } = chain();
    const target = { chainId, version: layout.version, address: paymaster };
    expect(await engine.service.call('paymasterContracts.use', target)).toEqual({
      ...target,
      checked: true,
      replaced: null,
    });
    const stranger = { chainId, replace: true };
    await engine.service.call('signers.import', { ...stranger, privateKey: treasury.privateKey });
    await expect(engine.service.call('paymasterContracts.use', target)).rejects.toMatchObject({
      code: 'CONTRACT_MISMATCH',
      message: /signer/,
    });
    await engine.service.call('signers.import', { ...stranger, privateKey: signer.privateKey });
  });
});

it('a contract of another EntryPoint, though it hashes and signs alike, is not attached', async () => {
  const address = await deployed(deployable.find(({ version }) => version === 'verifying-0.7')!);
  const target = { chainId: chain().chainId, version: 'verifying-0.8', address };
  await expect(engine.service.call('paymasterContracts.use', target)).rejects.toMatchObject({
    code: 'CONTRACT_MISMATCH',
    message: /wired to the EntryPoint 0x0000000071727/i,
  });
});

describe.each(deployable.filter((layout) => layout.token?.version === layout.version))(
  '$version, paid in a token',
  (layout) => {
    const mode = layout.token;
    if (mode === undefined) throw new Error('no token mode');
    let paymaster: Address;
    beforeAll(async () => {
      paymaster = await deployed(layout);
    });

    const balanceOf = async (who: string): Promise<bigint> =>
      (await (await contractAt('ERC20PresetFixedSupply', token, operator)).getFunction('balanceOf')(who)) as bigint;

    const send = async (from: HDNodeWallet, method: string, ...values: unknown[]): Promise<void> => {
      const contract = await contractAt('ERC20PresetFixedSupply', token, from);
      await (await contract.getFunction(method).send(...values)).wait();
    };

    /** The sender, which is not there yet, approves the paymaster all the same. */
    const approveAs = async (sender: Address): Promise<void> => {
      const { provider } = chain();
      await provider.send('anvil_impersonateAccount', [sender]);
      await provider.send('anvil_setBalance', [sender, toQuantity(parseEther('1'))]);
      const contract = await contractAt('ERC20PresetFixedSupply', token, await provider.getSigner(sender));
      await (await contract.getFunction('approve').send(paymaster, MaxUint256)).wait();
      // An account that has sent something cannot be created.
      await provider.send('anvil_setNonce', [sender, '0x0']);
    };

    /** An operation whose sender has tokens and approves the paymaster as it runs. */
    const tokenOperation = async (): Promise<UserOperation> => {
      const { interface: erc20 } = await contractAt('ERC20PresetFixedSupply', token, operator);
      const approve = erc20.encodeFunctionData('approve', [paymaster, MaxUint256]) as Hex;
      const op = await firstOperation(worldOf(layout), { to: token, data: approve });
      await send(operator, 'transfer', op.sender, parseEther('1'));
      return op;
    };

    const tokenTerms = (op: UserOperation, more: Partial<TokenTerms> = {}): TokenTerms => ({
      ...termsFor(paymaster),
      ...mode.chargedGas(op),
      token,
      exchangeRate: RATE,
      treasury: treasury.address as Address,
      ...more,
    });

    const submit = async (op: UserOperation, terms: TokenTerms): Promise<MinedOperation> => {
      const world = worldOf(layout);
      return world.mine(await world.sign(sponsored(mode, op, terms), operator));
    };

    const pay = async (op: UserOperation, terms: TokenTerms) => {
      const world = worldOf(layout);
      const [deposit, income] = [await world.deposit(paymaster), await balanceOf(treasury.address)];
      const mined = await submit(op, terms);
      return {
        mined,
        spentWei: deposit - (await world.deposit(paymaster)),
        paid: parseEther('1') - (await balanceOf(op.sender)),
        received: (await balanceOf(treasury.address)) - income,
      };
    };

    // The second postOp limit is what a client may ask for to make the paymaster pay for unused gas.
    const limits = entryPoints[layout.entryPointVersion].isPacked ? [undefined, 2_000_000n] : [undefined];
    it.each(limits)('takes from the sender what it cost, no more than quoted: postOp limit %s', async (limit) => {
      const plain = await tokenOperation();
      const op = limit === undefined ? plain : { ...plain, paymasterPostOpGasLimit: limit };
      const terms = tokenTerms(op);
      const { mined, spentWei, paid, received } = await pay(op, terms);
      expect(mined).toMatchObject({ success: true, paymaster, actualGasCost: spentWei });
      expect(received).toBe(paid);
      expect(paid).toBeLessThanOrEqual(mode.maxTokenCost(op, terms));
      const cost = (spentWei * RATE) / 10n ** 18n;
      expect(paid).toBeGreaterThanOrEqual(cost);
      expect(paid).toBeLessThan((cost * 110n) / 100n);
    });

    it('takes what may be needed up front and gives back the rest, by the allowance of the treasury', async () => {
      const op = await tokenOperation();
      await approveAs(op.sender);
      await send(treasury, 'approve', paymaster, MaxUint256);
      const terms = tokenTerms(op, mode.chargedGas(op, { preFunded: true }));
      const preFund = (mode.reservedCost(op) * RATE) / 10n ** 18n;
      const { mined, spentWei, paid, received } = await pay(op, { ...terms, preFund });
      expect(mined.success).toBe(true);
      expect(received).toBe(paid);
      expect(paid).toBeGreaterThanOrEqual((spentWei * RATE) / 10n ** 18n);
      expect(paid).toBeLessThan(preFund);
    });

    it('pays alone, or spoils the bundle, where the sender allowed it nothing', async () => {
      const op = await firstOperation(worldOf(layout), { to: token, data: '0x18160ddd' });
      await send(operator, 'transfer', op.sender, parseEther('1'));
      if (!entryPoints[layout.entryPointVersion].isPacked) {
        await expect(submit(op, tokenTerms(op))).rejects.toThrow(/revert/);
        return;
      }
      const { mined, spentWei, paid } = await pay(op, tokenTerms(op));
      expect(mined.success).toBe(false);
      expect(spentWei).toBeGreaterThan(0n);
      expect(paid).toBe(0n);
    });

    it('is of no use to bundlers out of its list unless all are allowed', async () => {
      const op = await tokenOperation();
      await expect(submit(op, tokenTerms(op, { allowAllBundlers: false }))).rejects.toThrow(/revert/);
      expect((await submit(op, tokenTerms(op))).success).toBe(true);
    });

    it('is cleared for signing with the hashes of both modes', async () => {
      const terms = tokenTerms(await tokenOperation());
      for (const vector of vectorCases('userop-hash')) {
        if (vector.entryPointVersion !== layout.entryPointVersion) continue;
        const op = operationOf(vector);
        expect(await rpcCall(paymaster, mode.getHashCall(op, terms)), vector.id).toBe(mode.hash(op, terms));
        expect(await rpcCall(paymaster, layout.getHashCall(op, termsFor(paymaster))), vector.id).toBe(
          layout.hash(op, termsFor(paymaster)),
        );
      }
    });
  },
);
