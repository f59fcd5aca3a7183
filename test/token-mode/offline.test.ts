import { getBytes, verifyMessage } from 'ethers';
import { beforeAll, describe, expect, test } from 'vitest';
import { biconomyToken } from '../../src/core/paymaster-layouts/biconomy-token.ts';
import { byteLength } from '../../src/core/user-operation/hex-digits.ts';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { EntryPointVersion, UserOperationV06 } from '../../src/shared/schema/user-operation.ts';
import { encodeExecute } from '../support/account-call-data.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import type { RpcReply, SponsoredDapp } from '../support/engine.ts';

const desk = useOfflineDesk();
const CHAIN_ID = 31337;
const TOKEN: Address = `0x${'70'.repeat(20)}`;
const PRE_FUNDED: Address = `0x${'71'.repeat(20)}`;
const TOKEN_PAYMASTER: Address = `0x${'7a'.repeat(20)}`;
const gas = { callGasLimit: 200_000n, verificationGasLimit: 500_000n, preVerificationGas: 60_000n };
const fees = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1n };
const op = {
  sender: '0x5fbdb2315678afecb367f032d93f642f64180aa3' as Address,
  nonce: 0n,
  callData: encodeExecute(`0x${'11'.repeat(20)}`, 0n, '0x12345678'),
  ...gas,
  ...fees,
  signature: '0x' as Hex,
};

const ask = (
  { apiKey }: SponsoredDapp,
  method: string,
  entryPoint: EntryPointVersion,
  token: Address,
  chainId = CHAIN_ID,
): Promise<RpcReply> => {
  const wire = Object.fromEntries(
    Object.entries(op).map(([key, value]) => [key, typeof value === 'bigint' ? `0x${value.toString(16)}` : value]),
  );
  const params = [wire, entryPoints[entryPoint].address, `0x${chainId.toString(16)}`, { token }];
  return desk().engine().post(`/api/v2/${chainId}/${apiKey}`, { jsonrpc: '2.0', id: 1, method, params });
};

const fixed = { rate: { source: 'static', tokensPerCoin: '3000' }, premium: '10', decimals: 6 };

let signer: string;
beforeAll(async () => {
  await desk().call('feeTokens.set', { chainId: CHAIN_ID, address: TOKEN, symbol: 'USDT', ...fixed });
  const prefund = { chainId: CHAIN_ID, address: PRE_FUNDED, symbol: 'USDC', ...fixed, preFund: true };
  await desk().call('feeTokens.set', prefund);
  signer = (await desk().call<{ address: string }[]>('signers.list', {}))[0]!.address;
});

describe('version 1.1.0', () => {
  test("says how to attach Biconomy's token paymaster on a chain that has none", async () => {
    const chainId = 80_002;
    const attached = { chainId, version: '1.1.0', address: TOKEN_PAYMASTER };
    await desk().call('paymasterContracts.use', attached);
    await desk().call('signers.create', { chainId });
    await desk().call('feeTokens.set', { ...fixed, chainId, address: TOKEN, symbol: 'USDT' });
    const dapp = await desk().engine().dapp({ version: '1.1.0', chainId });
    const { status, body } = await ask(dapp, 'pm_getPaymasterData', '0.6', TOKEN, chainId);
    expect([status, body.error?.code]).toEqual([200, -32052]);
    expect(body.error?.message).toMatch(/contract use --chain 80002 --version 1\.1\.0-token/);
    expect((await dapp.decisions())[0]).toMatchObject({ code: 'PAYMASTER_NOT_READY', paymasterAndData: '0x' });
  });

  test('signs what that contract reads', async () => {
    const attached = { chainId: CHAIN_ID, version: '1.1.0-token', address: TOKEN_PAYMASTER };
    await desk().call('paymasterContracts.use', attached);
    const dapp = await desk().dapp();
    const { body } = await ask(dapp, 'pm_getPaymasterData', '0.6', TOKEN);
    const { paymasterAndData } = body.result!;
    const [decision] = await dapp.decisions();
    const { validUntil, validAfter } = decision!;
    const terms = {
      chainId: CHAIN_ID,
      paymaster: TOKEN_PAYMASTER,
      validUntil: validUntil!,
      validAfter: validAfter!,
      token: TOKEN,
      exchangeRate: 3_000_000_000n,
      priceMarkup: 1_100_000,
      postOpGas: 45_000n,
      paymasterValidationGasLimit: 0n,
    };
    const signed: UserOperationV06 = { ...op, initCode: '0x', paymasterAndData: '0x' };
    const signature: Hex = `0x${paymasterAndData.slice(-130)}`;
    expect(paymasterAndData).toBe(biconomyToken.encode(signed, terms, signature));
    expect(verifyMessage(getBytes(biconomyToken.hash(signed, terms)), signature)).toBe(signer);
    expect(decision).toMatchObject({ outcome: 'sponsored', code: 'PAID_IN_TOKEN', settlement: 'reserved' });
    // (200,000 + 3 * 500,000 + 60,000 + 45,000) gas at 2 gwei, at 3,000 USDT and 10 percent
    expect(decision!.message).toBe('Signed: the user pays at most 11.913 USDT for it.');
    expect(decision!.trace.find(({ rule }) => rule === 'tokenPayment')?.code).toBe('TOKEN_NOT_CHECKED');
  });
});

test.each([
  ['1.1.0', '1.1.0-token', '0.6'],
  ['singleton-0.6', 'singleton-0.6', '0.6'],
  ['singleton-0.7', 'singleton-0.7', '0.7'],
  ['singleton-0.8', 'singleton-0.8', '0.8'],
  ['singleton-0.9', 'singleton-0.9', '0.9'],
] as const)(
  'gas that a wallet estimates with the stub of version %s is that of the final data: they are as long',
  async (version, attached, entryPoint) => {
    await desk().call('paymasterContracts.use', { chainId: CHAIN_ID, version: attached, address: TOKEN_PAYMASTER });
    const dapp = version === '1.1.0' ? await desk().dapp() : await desk().engine().dapp({ version });
    for (const token of [TOKEN, PRE_FUNDED]) {
      const [stub, final] = [
        (await ask(dapp, 'pm_getPaymasterStubData', entryPoint, token)).body,
        (await ask(dapp, 'pm_getPaymasterData', entryPoint, token)).body,
      ].map(({ result, error }) => {
        expect(error).toBeUndefined();
        const { paymasterAndData, paymasterData, ...limits } = result as unknown as Record<string, string>;
        return { length: byteLength((paymasterAndData ?? paymasterData) as Hex), limits };
      });
      expect(stub!.length).toBe(final!.length);
      expect(stub!.limits).toMatchObject(final!.limits);
    }
  },
);
