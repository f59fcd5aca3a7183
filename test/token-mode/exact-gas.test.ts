import { MaxUint256, parseEther } from 'ethers';
import { beforeAll, describe, expect, test } from 'vitest';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { fundDeposit } from '../../src/demo/world-contracts.ts';
import { withPaymasterAndData } from '../../src/core/user-operation/paymaster-fields.ts';
import { toRpcUserOperation } from '../../src/core/user-operation/rpc-user-operation.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { type UserOperation, entryPointVersion } from '../../src/shared/schema/user-operation.ts';
import { encodeFunction } from '../support/account-call-data.ts';
import { playsAll, shareOf } from '../support/combinations.ts';
import { type EntryPointWorld, type NewAccount, deployEntryPointWorld } from '../support/entry-point-world.ts';
import { type PaidToken, approveCall, deployFeeTokens } from '../support/fee-tokens.ts';
import { gameCall } from '../support/operations.ts';
import type { RpcReply, SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const DUMMY_SIGNATURE: Hex = `0x${'f'.repeat(31)}${'0'.repeat(33)}7${'a'.repeat(63)}1c`;

const world = useSponsoredWorld();
let token: PaidToken;
let salt = 0n;
beforeAll(async () => {
  ({ static: token } = await deployFeeTokens(world()));
});

const batchOf = (version: string, calls: readonly { to: Address; data: Hex }[]): Hex => {
  if (!['0.6', '0.7'].includes(version)) {
    const tuples = calls.map(({ to, data }) => [to, 0n, data]);
    return encodeFunction('executeBatch((address,uint256,bytes)[])', ['(address,uint256,bytes)[]'], [tuples]);
  }
  const targets = calls.map(({ to }) => to);
  const data = calls.map((call) => call.data);
  if (version === '0.6')
    return encodeFunction('executeBatch(address[],bytes[])', ['address[]', 'bytes[]'], [targets, data]);
  const types = ['address[]', 'uint256[]', 'bytes[]'];
  return encodeFunction(`executeBatch(${types.join(',')})`, types, [targets, [], data]);
};

/** The least `callGasLimit` with which the chain runs an operation that its account pays itself. */
const leastOnChain = async (chain: EntryPointWorld, op: UserOperation): Promise<bigint> => {
  const { operator } = world();
  const { provider } = world().chain;
  const succeeds = async (callGasLimit: bigint): Promise<boolean> => {
    const snapshot = (await provider.send('evm_snapshot', [])) as string;
    const { success } = await chain.mine(await chain.sign({ ...op, callGasLimit }, operator));
    await provider.send('evm_revert', [snapshot]);
    return success;
  };
  let [fails, suffices] = [20_000n, 300_000n];
  while (suffices > fails + 1n) {
    const middle = (fails + suffices) / 2n;
    if (await succeeds(middle)) suffices = middle;
    else fails = middle;
  }
  return suffices;
};

describe.each(entryPointVersion.options)('gas that suffices on chain suffices the desk (EntryPoint %s)', (version) => {
  let chain: EntryPointWorld;
  let paymaster: Address;
  let dapp: SponsoredDapp;
  beforeAll(async () => {
    const { operator, engine } = world();
    const { chainId } = world().chain;
    chain = await deployEntryPointWorld(operator, chainId, version);
    paymaster = await attachNewContract(engine.service, operator, { chainId, version: `singleton-${version}` });
    await fundDeposit(chain.entryPoint, paymaster, parseEther('10'), operator);
    dapp = await engine.dapp({ version: `singleton-${version}` });
  });

  const newUser = async (): Promise<NewAccount> => {
    const account = await chain.newAccount(world().operator, (salt += 1n));
    await token.give(account.address);
    await world().chain.provider.send('anvil_setBalance', [account.address, '0xde0b6b3a7640000']);
    return account;
  };

  /** An operation that approves the paymaster and mints; of an account that is there already, or makes itself. */
  const operationOf = async (account: NewAccount, isDeployed: boolean): Promise<UserOperation> => {
    const mint = { to: world().contracts.gameItems, data: gameCall('mint') };
    const callData = batchOf(version, [approveCall(token, paymaster, MaxUint256), mint]);
    const first = chain.firstOperation(account, mint);
    if (!isDeployed) return { ...first, callData };
    await chain.mine(await chain.sign(first, world().operator));
    const { factory: _, factoryData: __, ...op } = { factory: undefined, factoryData: undefined, ...first };
    return { ...op, ...('initCode' in op && { initCode: '0x' as const }), nonce: 1n, callData };
  };

  const ask = (op: UserOperation): Promise<RpcReply> =>
    dapp.sponsor(toRpcUserOperation(op), { mode: 'ERC20', tokenInfo: { feeTokenAddress: token.address } });

  const accounts: readonly [string, boolean][] = [
    ['deployed', true],
    ['new', false],
  ];
  test.each(shareOf(accounts, version, entryPointVersion.options))(
    'to the unit, for an account that is %s',
    async (_, isDeployed) => {
      const account = await newUser();
      const op = await operationOf(account, isDeployed);
      const callGasLimit = await leastOnChain(chain, op);
      const exact = { ...op, callGasLimit, signature: DUMMY_SIGNATURE };
      const { body } = await ask(exact);
      expect(body.error).toBeUndefined();

      const before = (await token.contract.getFunction('balanceOf')(account.address)) as bigint;
      const signed = await chain.sign(withPaymasterAndData(exact, body.result!.paymasterAndData), world().operator);
      expect(await chain.mine(signed)).toMatchObject({ success: true, paymaster });
      expect((await token.contract.getFunction('balanceOf')(account.address)) as bigint).toBeLessThan(before);
    },
  );

  test.runIf(playsAll || version === entryPointVersion.options[1])(
    'too little gas is reported as such, with what would do',
    async () => {
      const op = await operationOf(await newUser(), true);
      const least = await leastOnChain(chain, op);
      const { body } = await ask({ ...op, callGasLimit: least - 15_000n, signature: DUMMY_SIGNATURE });
      expect(body.error?.data).toMatchObject({
        code: 'TOKEN_CALL_OUT_OF_GAS',
        hint: expect.stringMatching(/callGasLimit/) as unknown,
      });
      const used = Number(/used (\d+) gas/.exec(body.error!.message)?.[1]);
      expect(used).toBeLessThanOrEqual(Number(least) + 5000);
      expect(used).toBeGreaterThan(Number(least) * 0.9);
    },
  );
});
