import { MaxUint256, parseEther } from 'ethers';
import { expect, test } from 'vitest';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { fundDeposit } from '../../src/demo/world-contracts.ts';
import { withPaymasterAndData } from '../../src/core/user-operation/paymaster-fields.ts';
import { toRpcUserOperation } from '../../src/core/user-operation/rpc-user-operation.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { encodeExecute } from '../support/account-call-data.ts';
import { deployEntryPointWorld } from '../support/entry-point-world.ts';
import { approveCall, deployFeeTokens } from '../support/fee-tokens.ts';
import { gameCall } from '../support/operations.ts';
import type { RpcReply } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const world = useSponsoredWorld();
const ACCOUNT: Address = `0x${'ac'.repeat(20)}`;
const STRANGER: Address = `0x${'99'.repeat(20)}`;
const UNITS = 10n ** 9n;

/**
 * Code of an account that accepts every signature. Where the EntryPoint runs `executeUserOp` with the whole operation,
 * the account sends its tokens away; where someone calls it with the operation's own callData, it does nothing.
 */
const emptiesItself = (token: Address): Hex =>
  `0x${[
    '60003560e01c638dd7712f14601457', // the selector is that of executeUserOp: jump to 0x14
    '60206000f3', // else return 32 zero bytes: validateUserOp accepts
    '5b600435604014601f5700', // 0x14: the first argument is the offset 0x40 of an operation: jump to 0x1f, else stop
    `5b63a9059cbb60e01b60005273${STRANGER.slice(2)}60045267${UNITS.toString(16).padStart(16, '0')}602452`,
    `6000600060446000600073${token.slice(2)}5af100`, // call(gas, token, 0, transfer(STRANGER, UNITS))
  ].join('')}`;

test('an operation is paid in tokens or not signed, in whatever letter case its callData calls executeUserOp', async () => {
  const { operator, engine, chain, contracts } = world();
  const { chainId, provider } = chain;
  const v07 = await deployEntryPointWorld(operator, chainId, '0.7');
  const paymaster = await attachNewContract(engine.service, operator, { chainId, version: 'singleton-0.7' });
  await fundDeposit(v07.entryPoint, paymaster, parseEther('1'), operator);
  const { static: token } = await deployFeeTokens(world());
  const dapp = await engine.dapp({ version: 'singleton-0.7' });

  await token.give(ACCOUNT, UNITS);
  await provider.send('anvil_setBalance', [ACCOUNT, '0xde0b6b3a7640000']);
  await provider.send('anvil_impersonateAccount', [ACCOUNT]);
  await provider.send('eth_sendTransaction', [{ from: ACCOUNT, ...approveCall(token, paymaster, MaxUint256) }]);
  await provider.send('anvil_setCode', [ACCOUNT, emptiesItself(token.address)]);

  const inner = encodeExecute(contracts.gameItems, 0n, gameCall('mint')).slice(2);
  const op = {
    sender: ACCOUNT,
    nonce: 0n,
    callGasLimit: 200_000n,
    verificationGasLimit: 100_000n,
    preVerificationGas: 60_000n,
    maxFeePerGas: 3_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    signature: '0x',
  } as const;

  /** What the desk answers, and what the paymaster loses once whatever was signed is mined. Wei. */
  const attack = async (prefix: Hex): Promise<{ reply: RpcReply; lostWei: bigint }> => {
    const callData: Hex = `${prefix}${inner}`;
    const options = { mode: 'ERC20', tokenInfo: { feeTokenAddress: token.address } };
    const reply = await dapp.sponsor({ ...toRpcUserOperation(op), callData }, options);
    const before = await v07.deposit(paymaster);
    const { paymasterAndData } = reply.body.result ?? {};
    if (paymasterAndData !== undefined) {
      await v07.mine(withPaymasterAndData({ ...op, callData }, paymasterAndData));
    }
    return { reply, lostWei: before - (await v07.deposit(paymaster)) };
  };
  for (const prefix of ['0x8dd7712f', '0x8DD7712F', '0x8Dd7712f'] as const) {
    const { reply, lostWei } = await attack(prefix);
    expect([prefix, lostWei]).toEqual([prefix, 0n]);
    expect(reply.body.error?.data).toMatchObject({ code: 'TOKEN_TRANSFER_REFUSED' });
  }
});
