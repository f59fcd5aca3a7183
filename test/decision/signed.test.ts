import { AbiCoder, type Contract, dataSlice, getBytes, verifyMessage } from 'ethers';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { finishOperation, partialOperation, simpleAccount, submitOperation } from '../../src/demo/simple-account.ts';
import { contractAt, devWallet, fundDeposit } from '../../src/demo/world-contracts.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { UserOperationV06 } from '../../src/shared/schema/user-operation.ts';
import { GAS, gameCall } from '../support/operations.ts';
import type { RpcReply, SponsorResult, SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const TANK_WEI = 10n ** 18n;
const world = useSponsoredWorld();

/** What was promised, as it stands in `paymasterAndData`. */
interface SignedReservation {
  readonly contract: string;
  readonly fundingWallet?: string;
  readonly validUntil: number;
  readonly validAfter: number;
  readonly signature: string;
}

/** A version under test: how its data is read, its hash asked for and its money looked at. */
interface Version {
  readonly version: string;
  readonly address: () => Address;
  readonly dapp: () => Promise<SponsoredDapp>;
  readonly read: (paymasterAndData: Hex) => SignedReservation;
  readonly hash: (contract: Contract, op: UserOperationV06, promised: SignedReservation) => Promise<string>;
  /** Wei there is to pay with. */
  readonly funds: (dapp: SponsoredDapp) => Promise<bigint>;
}

let withoutTanks: Address;
const entryPoint = (): Promise<Contract> =>
  contractAt('EntryPoint', world().contracts.entryPoint, world().chain.provider);
const deposit = async (paymaster: Address): Promise<bigint> =>
  (await (await entryPoint()).getFunction('balanceOf')(paymaster)) as bigint;

const versions: Version[] = [
  {
    version: '1.1.0',
    address: () => world().paymaster,
    dapp: () => world().dapp(TANK_WEI),
    read: (data) => {
      const types = ['address', 'uint48', 'uint48', 'bytes'];
      const [fundingWallet, until, after, signature] = AbiCoder.defaultAbiCoder().decode(
        types,
        dataSlice(data, 20),
      ) as unknown as [string, bigint, bigint, string];
      return {
        contract: dataSlice(data, 0, 20),
        fundingWallet,
        validUntil: Number(until),
        validAfter: Number(after),
        signature,
      };
    },
    hash: (contract, op, { fundingWallet, validUntil, validAfter }) =>
      contract.getFunction('getHash')(op, fundingWallet, validUntil, validAfter) as Promise<string>,
    funds: async ({ fundingWallet }) => {
      const contract = await contractAt('VerifyingSingletonPaymaster', world().paymaster, world().chain.provider);
      return (await contract.getFunction('getBalance')(fundingWallet)) as bigint;
    },
  },
  {
    version: 'verifying-0.6',
    address: () => withoutTanks,
    dapp: () => world().engine.dapp({ version: 'verifying-0.6' }),
    read: (data) => {
      const [until, after] = AbiCoder.defaultAbiCoder().decode(
        ['uint48', 'uint48'],
        dataSlice(data, 20, 84),
      ) as unknown as [bigint, bigint];
      return {
        contract: dataSlice(data, 0, 20),
        validUntil: Number(until),
        validAfter: Number(after),
        signature: dataSlice(data, 84),
      };
    },
    hash: (contract, op, { validUntil, validAfter }) =>
      contract.getFunction('getHash')(op, validUntil, validAfter) as Promise<string>,
    funds: () => deposit(withoutTanks),
  },
];

beforeAll(async () => {
  const { engine, chain, contracts, operator } = world();
  const target = { chainId: chain.chainId, version: 'verifying-0.6' };
  withoutTanks = await attachNewContract(engine.service, operator, target);
  await fundDeposit(contracts.entryPoint, withoutTanks, TANK_WEI, operator);
});

/** The desk's clock shows the chain's time. */
beforeEach(async () => {
  const { chain, clock } = world();
  await chain.provider.send('evm_mine', []);
  const block = await chain.provider.getBlock('latest');
  await clock.advance(Math.max(0, block!.timestamp * 1000 - clock.now()));
});

let salt = 0n;
const newAccount = () => {
  const { contracts, chain } = world();
  return simpleAccount(contracts.accountFactory, devWallet(3, chain.provider), (salt += 1n), chain.provider);
};
const partialMint = (account: Awaited<ReturnType<typeof newAccount>>): Promise<Record<string, string>> => {
  const { contracts, chain } = world();
  return partialOperation(
    account,
    { to: contracts.gameItems, data: gameCall('mint') },
    contracts.entryPoint,
    chain.provider,
  );
};
const resultOf = ({ status, body }: RpcReply): SponsorResult => {
  expect([status, body.error]).toEqual([200, undefined]);
  return body.result!;
};
const onChain = () => ({ chainId: world().chain.chainId, entryPoint: world().contracts.entryPoint });
/** How the EntryPoint takes an operation: `ok`, or the words it refuses it with. */
const tried = async (op: UserOperationV06): Promise<string> => {
  const { operator } = world();
  const handleOps = (await entryPoint()).getFunction('handleOps');
  try {
    await handleOps.staticCall([op], operator.address);
    return 'ok';
  } catch (error) {
    return (error as { revert?: { args: { reason: string } } }).revert?.args.reason ?? String(error);
  }
};

describe.each(versions)('what is signed for $version', ({ address, dapp: newDapp, read, hash, funds, version }) => {
  test('is what was asked for: contract, wallet and window, signed by the key in the vault', async () => {
    const { engine, chain, clock } = world();
    const [dapp, account] = [await newDapp(), await newAccount()];
    const partial: Record<string, string> = { ...(await partialMint(account)), ...GAS };
    const result = resultOf(await dapp.sponsor(partial, { expiryDuration: 1234 }));
    const op = await finishOperation(account, partial, result, onChain());

    const promised = read(op.paymasterAndData);
    const now = Math.floor(clock.now() / 1000);
    expect(promised).toMatchObject({
      contract: address().toLowerCase(),
      validAfter: now - 60,
      validUntil: now + 1234,
      ...(dapp.fundingWallet !== '0x' && { fundingWallet: dapp.fundingWallet }),
    });
    const name = version === '1.1.0' ? 'VerifyingSingletonPaymaster' : 'VerifyingPaymaster';
    const contract = await contractAt(name, address(), chain.provider);
    const signedHash = await hash(contract, op, promised);
    const [signer] = await engine.service.call('signers.list', {});
    expect(verifyMessage(getBytes(signedHash), promised.signature)).toBe(signer!.address);

    expect((await dapp.decisions())[0]).toMatchObject({
      userOpHash: await (await entryPoint()).getFunction('getUserOpHash')(op),
      paymasterAndData: op.paymasterAndData,
      validAfter: promised.validAfter,
      validUntil: promised.validUntil,
    });
  });

  test('is mined, twice in a row for one account, and the tank pays all of it within what was promised', async () => {
    const { chain, operator, contracts } = world();
    const [dapp, account] = [await newDapp(), await newAccount()];
    const items = await contractAt('GameItems', contracts.gameItems, chain.provider);
    for (const minted of [1n, 2n]) {
      const partial = await partialMint(account);
      const options = minted === 1n ? { calculateGasLimits: true } : {};
      const result = resultOf(await dapp.sponsor(minted === 1n ? partial : { ...partial, ...GAS }, options));
      const op = await finishOperation(account, partial, result, onChain());
      const [fundsBefore, depositBefore] = [await funds(dapp), await deposit(address())];
      const mined = await submitOperation(op, contracts.entryPoint, operator);

      expect(mined.success).toBe(true);
      expect(await items.getFunction('balanceOf')(account.address)).toBe(minted);
      expect(depositBefore - (await deposit(address()))).toBe(mined.actualGasCost);
      const charged = fundsBefore - (await funds(dapp));
      expect(charged).toBeGreaterThanOrEqual(mined.actualGasCost);
      const { maxCostWei } = (await dapp.decisions())[0]!;
      expect(charged).toBeLessThanOrEqual(BigInt(maxCostWei!));
      expect(await chain.provider.getBalance(account.address)).toBe(0n);
    }
  });

  test('holds for no other operation: after a change of any field the EntryPoint refuses it', async () => {
    const [dapp, account] = [await newDapp(), await newAccount()];
    const partial: Record<string, string> = { ...(await partialMint(account)), ...GAS };
    const result = resultOf(await dapp.sponsor(partial));
    expect(await tried(await finishOperation(account, partial, result, onChain()))).toBe('ok');
    const changes: [Partial<Record<string, string>>, Partial<SponsorResult>][] = [
      [{ callData: '0x' }, {}],
      [{ maxFeePerGas: `0x${(BigInt(partial['maxFeePerGas']!) + 1n).toString(16)}` }, {}],
      [{ maxPriorityFeePerGas: '0x0' }, {}],
      [{}, { callGasLimit: result.callGasLimit + 1 }],
      [{}, { verificationGasLimit: result.verificationGasLimit + 1 }],
      [{}, { preVerificationGas: String(Number(result.preVerificationGas) + 1) }],
      [{}, { paymasterAndData: extended(result.paymasterAndData, read(result.paymasterAndData)) }],
    ];
    for (const [field, value] of changes) {
      const changed = { ...partial, ...field } as Record<string, string>;
      const op = await finishOperation(account, changed, { ...result, ...value }, onChain());
      expect(await tried(op), JSON.stringify({ ...field, ...value })).toMatch(/AA34 signature error/);
    }
  });

  test('is worth nothing after validUntil', async () => {
    const { chain } = world();
    const [dapp, account] = [await newDapp(), await newAccount()];
    const partial: Record<string, string> = { ...(await partialMint(account)), ...GAS };
    const result = resultOf(await dapp.sponsor(partial, { expiryDuration: 30 }));
    const op = await finishOperation(account, partial, result, onChain());
    expect(await tried(op)).toBe('ok');
    await chain.provider.send('evm_increaseTime', [60]);
    await chain.provider.send('evm_mine', []);
    expect(await tried(op)).toMatch(/AA32 paymaster expired/);
  });
});

/** The data with its validUntil a second later. */
const extended = (data: Hex, { validUntil }: SignedReservation): Hex => {
  const word = (seconds: number): string => seconds.toString(16).padStart(64, '0');
  return data.replace(word(validUntil), word(validUntil + 1)) as Hex;
};

test('both spellings of the mode sign the same, and say the same', async () => {
  const dapp = await world().dapp(TANK_WEI);
  const partial = { ...(await partialMint(await newAccount())), ...GAS };
  const [one, other] = [await dapp.sponsor(partial), await dapp.sponsor(partial, { mode: 'SPONSORSHIP' })];
  expect(resultOf(one)).toEqual(resultOf(other));
  expect(resultOf(one)).toMatchObject({ MODE: 'SPONSORED', mode: 'SPONSORED' });
});
