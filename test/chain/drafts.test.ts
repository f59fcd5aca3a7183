import { type Contract, Interface, type Result, parseEther } from 'ethers';
import { describe, expect, test } from 'vitest';
import { contractAt, deployContract, devWallet, fundGasTank } from '../../src/demo/world-contracts.ts';
import { senderCreatorOf } from '../../src/engine/chain/gas/call-gas.ts';
import { STUB_SIGNATURE } from '../../src/core/paymaster-layouts/layout.ts';
import { findLayout } from '../../src/core/paymaster-layouts/registry.ts';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { type EntryPointVersion, type UserOperation } from '../../src/shared/schema/user-operation.ts';
import { packUserOperation } from '../../src/core/user-operation/pack-user-operation.ts';
import { PACKED_USER_OPERATION_ABI, USER_OPERATION_V06_ABI } from '../../src/core/user-operation/abi.ts';
import { toRpcUserOperation } from '../../src/core/user-operation/rpc-user-operation.ts';
import { type ClientDapp, clientDapp } from '../support/client-world.ts';
import { type NewAccount, deployEntryPointWorld, signAsOwner } from '../support/entry-point-world.ts';
import { deployFeeTokens } from '../support/fee-tokens.ts';
import { error, passTo, withNode } from '../support/odd-node.ts';
import { gameCall } from '../support/operations.ts';
import type { RpcReply } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { shareOf } from '../support/combinations.ts';

const world = useSponsoredWorld();
const owner = () => devWallet(2, world().chain.provider);

/** An operation as an EntryPoint takes it. */
type Draft = Readonly<Record<string, unknown>>;

const simulate = {
  v06: new Interface([`function simulateHandleOp(${USER_OPERATION_V06_ABI} op, address target, bytes data)`]),
  v07: new Interface([`function simulateHandleOp(${PACKED_USER_OPERATION_ABI} op, address target, bytes data)`]),
};

/** The sponsored operations of the desk's simulations, as the node sees them, while something is asked. */
const seenByNode = async (version: EntryPointVersion, ask: () => Promise<RpcReply>): Promise<[Draft[], RpcReply]> => {
  const { chain, engine } = world();
  const { chainId } = chain;
  const abi = simulate[entryPoints[version].isPacked ? 'v07' : 'v06'];
  const proper = passTo(chain.url);
  const drafts: Draft[] = [];
  const reply = await withNode(
    (response, method, body) => {
      const [call] = (JSON.parse(body) as { params: [{ data?: Hex }] }).params;
      if (method === 'eth_call' && call.data?.startsWith(abi.getFunction('simulateHandleOp')!.selector)) {
        const draft = (abi.decodeFunctionData('simulateHandleOp', call.data)[0] as Result).toObject();
        if (draft['paymasterAndData'] !== '0x') drafts.push(draft);
      }
      proper(response, method, body);
    },
    async (rpc) => {
      await engine.service.call('chains.set', { chainId, rpc });
      try {
        return await ask();
      } finally {
        await engine.service.call('chains.set', { chainId, rpc: chain.url });
      }
    },
  );
  return [drafts, reply];
};

const entryPointOf = (version: EntryPointVersion): Promise<Contract> =>
  contractAt(entryPoints[version].deployment.artifact, entryPoints[version].address, world().operator);

/** Has the account's owner sign a draft as it was seen, and sends it: how the EntryPoint takes it. */
const mined = async (version: EntryPointVersion, draft: Draft, signature?: Hex): Promise<string> => {
  const contract = await entryPointOf(version);
  const op: Record<string, unknown> = { ...draft, signature: signature ?? '0x' };
  if (signature === undefined) {
    const hash = (await contract.getFunction('getUserOpHash')(op)) as Hex;
    op['signature'] = signAsOwner(version, hash, owner());
  }
  const handleOps = contract.getFunction('handleOps');
  try {
    await handleOps.staticCall([op], world().operator.address, { gasLimit: 25_000_000n });
    const sent = (await handleOps.send([op], world().operator.address, { gasLimit: 25_000_000n })) as {
      wait(): Promise<unknown>;
    };
    await sent.wait();
    return 'mined';
  } catch (refusal) {
    return (refusal as { revert?: { args: { reason: string } } }).revert?.args.reason ?? String(refusal);
  }
};

/** Makes an account as the EntryPoint does: from v0.8 on, its factory lets no one else. */
const makeAccount = async (entryPoint: Address, { factory, factoryData }: NewAccount): Promise<void> => {
  const { provider } = world().chain;
  const from = senderCreatorOf(entryPoint);
  await provider.send('anvil_setBalance', [from, '0xde0b6b3a7640000']);
  await provider.send('anvil_impersonateAccount', [from]);
  const call = { from, to: factory, data: factoryData, gas: '0x4c4b40' };
  const hash = (await provider.send('eth_sendTransaction', [call])) as string;
  // ethers' waitForTransaction never ends where the block comes between its reading of the number and of the receipt.
  await expect.poll(() => provider.getTransactionReceipt(hash)).not.toBeNull();
};

const madeAlready = { v06: { initCode: '0x' }, v07: { factory: undefined, factoryData: undefined } };

/** An operation without gas limits, of an account that is there or that it makes. */
const partialOf = async (version: EntryPointVersion, isThere = false): Promise<Record<string, unknown>> => {
  const { chain, contracts, operator } = world();
  const entryPoint = await deployEntryPointWorld(operator, chain.chainId, version);
  const account = await entryPoint.newAccount(owner(), 0n);
  const op = entryPoint.firstOperation(account, { to: contracts.gameItems, data: gameCall('mint') });
  if (isThere) await makeAccount(entryPoint.entryPoint, account);
  const { callGasLimit: _c, verificationGasLimit: _v, preVerificationGas: _p, ...wire } = toRpcUserOperation(op);
  return {
    ...wire,
    signature: STUB_SIGNATURE,
    ...(isThere && madeAlready[entryPoints[version].isPacked ? 'v07' : 'v06']),
  };
};

/** What a bundler saw of an operation, as the EntryPoint takes it: the limits that it did not get are signed as 0. */
const asSigned = (version: EntryPointVersion, wire: Record<string, Hex>): Record<string, unknown> => {
  const limits = { callGasLimit: 0n, verificationGasLimit: 0n, preVerificationGas: 0n };
  const numbers = ['maxFeePerGas', 'maxPriorityFeePerGas', 'paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'];
  const read = Object.entries(wire).map(([name, value]) => [name, numbers.includes(name) ? BigInt(value) : value]);
  const op = { ...(Object.fromEntries(read) as UserOperation), ...limits };
  return { ...(entryPoints[version].isPacked ? packUserOperation(op) : op) };
};

/** A DApp of a contract that only this test deploys: version 1.0.0 comes with no package. */
const dappOf100 = async (): Promise<ClientDapp> => {
  const { chain, contracts, engine, operator } = world();
  const { chainId } = chain;
  const [signer] = await engine.service.call('signers.list', {});
  const constructed = [operator.address, contracts.entryPoint, signer!.address];
  const paymaster = await deployContract('TankPaymasterV100', constructed, operator);
  await engine.service.call('paymasterContracts.use', { chainId, version: '1.0.0', address: paymaster });
  const fundingWallet = devWallet(50, chain.provider);
  const dapp = await engine.dapp({ version: '1.0.0', fundingWallet });
  await fundGasTank(paymaster, dapp.fundingWallet, parseEther('1'), operator);
  const tanks = await contractAt('TankPaymasterV100', paymaster, chain.provider);
  return {
    ...dapp,
    url: '',
    paymaster,
    entryPoint: { address: contracts.entryPoint, version: '0.6' },
    tankBalance: async () => (await tanks.getFunction('getBalance')(dapp.fundingWallet)) as bigint,
  };
};

const versions = [
  ['1.0.0', /AA34/],
  ['1.1.0', /AA32/],
  ['verifying-0.6', /AA32/],
  ['verifying-0.7', /AA32/],
  ['singleton-0.6', /AA32/],
  ['singleton-0.7', /AA32/],
  ['singleton-0.8', /AA32/],
  ['singleton-0.9', /AA32/],
  // No one signs drafts of it.
  ['parallel-0.9', /AA34/],
] as const;
const entryPointVersion = (version: string): EntryPointVersion => findLayout(version)!.entryPointVersion;

describe.each(versions)('what is signed for %s while gas is estimated', (version, refused) => {
  const isPlayed = (row: number): boolean =>
    shareOf(
      [0, 1],
      version,
      versions.map(([one]) => one),
    ).includes(row);

  test.runIf(isPlayed(0))('cannot be mined, even by a reader of the draft: the tank loses nothing', async () => {
    const dapp = version === '1.0.0' ? await dappOf100() : await clientDapp(world(), version);
    const partial = await partialOf(entryPointVersion(version));
    const options = { calculateGasLimits: true };
    const [drafts, { body }] = await seenByNode(entryPointVersion(version), () => dapp.sponsor(partial, options));
    expect([body.error, body.result?.reason]).toEqual([undefined, undefined]);
    expect(drafts.length).toBeGreaterThanOrEqual(2);
    const before = await dapp.tankBalance();
    for (const draft of drafts) expect(await mined(entryPointVersion(version), draft)).toMatch(refused);
    expect(before - (await dapp.tankBalance())).toBe(0n);
  });

  test.runIf(isPlayed(1))('is not good for mining either, where a bundler sees it', async () => {
    const { chain, engine } = world();
    const { chainId } = chain;
    const dapp = version === '1.0.0' ? await dappOf100() : await clientDapp(world(), version);
    const partial = await partialOf(entryPointVersion(version), true);
    const seen: Record<string, Hex>[] = [];
    await withNode(
      (response, method, body) => {
        if (method !== 'eth_chainId') seen.push((JSON.parse(body) as { params: [Record<string, Hex>] }).params[0]);
        error(-32521, 'no')(response, method, body);
      },
      async (bundler) => {
        await engine.service.call('chains.set', { chainId, bundler });
        try {
          await dapp.sponsor(partial, { calculateGasLimits: true });
        } finally {
          await engine.service.call('chains.remove', { chainId, force: true });
          await engine.service.call('chains.set', { chainId, rpc: chain.url });
        }
      },
    );
    expect(seen).toHaveLength(1);
    const before = await dapp.tankBalance();
    const draft = asSigned(entryPointVersion(version), seen[0]!);
    expect(await mined(entryPointVersion(version), draft)).toMatch(/AA23|AA26|AA40|AA41/);
    expect(before - (await dapp.tankBalance())).toBe(0n);
  });
});

const singletons = ['singleton-0.6', 'singleton-0.7', 'singleton-0.8', 'singleton-0.9'];

describe.each(singletons)(
  'what is signed for %s at a price of nothing, to find out the gas of an operation paid in a token',
  (version) => {
    const at = entryPointVersion(version);
    test.each(shareOf(['pm_sponsorUserOperation', 'pm_getFeeQuoteOrData'], version, singletons))(
      'is not good for mining: %s',
      async (method) => {
        const { chain, engine } = world();
        const token = (await deployFeeTokens(world())).static;
        const dapp = await clientDapp(world(), version);
        const partial = await partialOf(at);
        await token.give(partial['sender'] as Address);
        const tokenInfo = { feeTokenAddress: token.address, tokenList: [token.address] };
        const params = [partial, { mode: 'ERC20', tokenInfo, calculateGasLimits: true }];
        const ask = () =>
          engine.post(`/api/v1/${chain.chainId}/${dapp.apiKey}`, { jsonrpc: '2.0', id: 1, method, params });
        const [drafts] = await seenByNode(at, ask);
        expect(drafts.length).toBeGreaterThanOrEqual(2);
        const before = await dapp.tankBalance();
        for (const draft of drafts) expect(await mined(at, draft)).toMatch(/AA32/);
        expect(before - (await dapp.tankBalance())).toBe(0n);
      },
    );
  },
);

test('an account that reverts with what was signed, in pieces, learns nothing, and its draft is not mined', async () => {
  const { chain, operator } = world();
  const dapp = await clientDapp(world(), '1.1.0');
  const sender = await deployContract('TellingAccount', [], operator);
  const { gasPrice } = await chain.provider.getFeeData();
  const fees = { maxFeePerGas: `0x${gasPrice!.toString(16)}`, maxPriorityFeePerGas: '0x1' };
  const op = { sender, nonce: '0x0', initCode: '0x', callData: gameCall('burn'), ...fees, signature: '0xff' };
  const ask = () => dapp.sponsor(op, { calculateGasLimits: true });
  const [drafts, reply] = await seenByNode('0.6', ask);
  expect([reply.status, reply.body.error?.code, reply.body.error?.data?.['aaCode']]).toEqual([400, -32054, 'AA23']);
  const [decision] = await dapp.decisions();
  const signed = (drafts[0]!['paymasterAndData'] as Hex).slice(2);
  for (let from = 0; from + 16 <= signed.length; from += 16) {
    const piece = signed.slice(from, from + 16);
    if (/^0*$/.test(piece)) continue;
    expect(JSON.stringify(reply.body)).not.toContain(piece);
    expect(decision!.message).not.toContain(piece);
  }
  // Even if it had learned it by another way.
  const before = await dapp.tankBalance();
  expect(await mined('0.6', drafts[0]!, '0x')).toMatch(/AA32/);
  expect(before - (await dapp.tankBalance())).toBe(0n);
});
