import { MaxUint256, parseEther } from 'ethers';
import { beforeAll, describe, expect, test } from 'vitest';
import { withPaymasterAndData } from '../../src/core/user-operation/paymaster-fields.ts';
import { toRpcUserOperation } from '../../src/core/user-operation/rpc-user-operation.ts';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { contractAt, deployContract, devWallet, fundDeposit } from '../../src/demo/world-contracts.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { type UserOperation, entryPointVersion } from '../../src/shared/schema/user-operation.ts';
import { encodeExecute } from '../support/account-call-data.ts';
import { shareOf } from '../support/combinations.ts';
import { type EntryPointWorld, deployEntryPointWorld } from '../support/entry-point-world.ts';
import { gameCall } from '../support/operations.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { setUnseenChain } from '../support/unseen-chain.ts';

const world = useSponsoredWorld();
const BASE_FEE = 10n ** 9n;
const treasury = () => devWallet(7, world().chain.provider);
let salt = 0n;

beforeAll(async () => {
  const { chainId, url } = world().chain;
  await world().engine.service.call('chains.set', { chainId, rpc: url, treasury: treasury().address });
});

/** Whole tokens for a coin: at the lower ones the least that an operation can cost is below a unit of any of them. */
const RATES = [500, 2_000, 5_000, 20_000, 80_000];

const TOKENS: readonly [decimals: number, preFund: boolean][] = [
  [0, false],
  [2, true],
  [0, true],
  [2, false],
];

describe.each(entryPointVersion.options)('what is paid in a coarse token on EntryPoint %s', (version) => {
  let chain: EntryPointWorld;
  let paymaster: Address;
  beforeAll(async () => {
    const { operator, engine } = world();
    const { chainId } = world().chain;
    chain = await deployEntryPointWorld(operator, chainId, version);
    paymaster = await attachNewContract(engine.service, operator, { chainId, version: `singleton-${version}` });
    await fundDeposit(chain.entryPoint, paymaster, parseEther('10'), operator);
  });

  /** An account that is there, with the token, which it has approved for the paymaster; its operations mint. */
  const newUser = async (token: Address): Promise<UserOperation> => {
    const { operator } = world();
    const contract = await contractAt('TestToken', token, operator);
    const account = await chain.newAccount(operator, (salt += 1n));
    await (await contract.getFunction('mint').send(account.address, 10n ** 12n)).wait();
    await world().chain.provider.send('anvil_setBalance', [account.address, '0xde0b6b3a7640000']);
    const approval = contract.interface.encodeFunctionData('approve', [paymaster, MaxUint256]) as `0x${string}`;
    const first = chain.firstOperation(account, { to: token, data: approval });
    await chain.mine(await chain.sign(first, operator));
    await (
      await contractAt('TestToken', token, treasury())
    )
      .getFunction('approve')
      .send(paymaster, MaxUint256)
      .then((sent: { wait(): Promise<unknown> }) => sent.wait());
    const { factory: _, factoryData: __, ...op } = { factory: undefined, factoryData: undefined, ...first };
    const callData = encodeExecute(world().contracts.gameItems, 0n, gameCall('mint'));
    return {
      ...op,
      ...('initCode' in op && { initCode: '0x' as const }),
      callGasLimit: 70_000n,
      preVerificationGas: 50_000n,
      callData,
    };
  };

  test.each(shareOf(TOKENS, version, entryPointVersion.options))(
    'is never nothing: %i decimals, prefund %s',
    async (decimals, preFund) => {
      const { engine, operator } = world();
      const { chainId, provider, url } = world().chain;
      const token = await deployContract('TestToken', ['COARSE', decimals], operator);
      const contract = await contractAt('TestToken', token, operator);
      const op = await newUser(token);
      const dapp = await engine.dapp({ version: `singleton-${version}` });
      const setBaseFee = async (wei: bigint): Promise<void> => {
        await provider.send('anvil_setNextBlockBaseFeePerGas', [`0x${wei.toString(16)}`]);
      };
      const outcomes = new Set<string>();
      for (const [lane, rate] of RATES.entries()) {
        await engine.service.call('feeTokens.set', {
          chainId,
          address: token,
          symbol: 'COARSE',
          decimals,
          premium: '0',
          preFund,
          rate: { source: 'static', tokensPerCoin: String(rate / 10 ** decimals) },
        });
        await setBaseFee(BASE_FEE);
        await provider.send('evm_mine', []);
        await setUnseenChain(engine.service, chainId, url);
        const asked = { ...op, nonce: BigInt(lane + 1) << 64n };
        const { body } = await dapp.sponsor(toRpcUserOperation(asked), {
          mode: 'ERC20',
          tokenInfo: { feeTokenAddress: token },
        });
        if (body.error !== undefined) {
          expect(body.error).toMatchObject({ code: -32050, data: { code: 'TOKEN_TOO_COARSE', rule: 'tokenPayment' } });
          outcomes.add('refused');
          continue;
        }
        const before = (await contract.getFunction('balanceOf')(asked.sender)) as bigint;
        const signed = await chain.sign(withPaymasterAndData(asked, body.result!.paymasterAndData), operator);
        await setBaseFee(BASE_FEE / 8n);
        expect(await chain.mine(signed)).toMatchObject({ success: true });
        const paid = before - ((await contract.getFunction('balanceOf')(asked.sender)) as bigint);
        expect([rate, paid > 0n]).toEqual([rate, true]);
        outcomes.add('paid');
      }
      expect([...outcomes]).toEqual(['refused', 'paid']);
    },
  );
});
