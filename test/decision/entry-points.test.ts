import { type HDNodeWallet, parseEther } from 'ethers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { deployContract, devWallet, fundDeposit } from '../../src/demo/world-contracts.ts';
import { STUB_SIGNATURE } from '../../src/core/paymaster-layouts/layout.ts';
import { withPaymasterAndData } from '../../src/core/user-operation/paymaster-fields.ts';
import { toRpcUserOperation } from '../../src/core/user-operation/rpc-user-operation.ts';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import type { EntryPointVersion, UserOperation } from '../../src/shared/schema/user-operation.ts';
import { ACCEPTING_ACCOUNT } from '../support/accepting-account.ts';
import { type EntryPointWorld, deployEntryPointWorld } from '../support/entry-point-world.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { gameCall, operation } from '../support/operations.ts';
import { type RpcReply, type ServingEngine, type SponsoredDapp, startEngine } from '../support/engine.ts';
import { startReceiver, verify } from '../support/webhook-receiver.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

const MARKER = `0x7702${'00'.repeat(18)}`;

const versions = [
  ['verifying-0.7', '0.7'],
  ['singleton-0.7', '0.7'],
  ['singleton-0.8', '0.8'],
  ['singleton-0.9', '0.9'],
  ['parallel-0.9', '0.9'],
] as const;
const worlds = new Map<EntryPointVersion, EntryPointWorld>();
const paymasters = new Map<string, Address>();

/** A number for each account, so that tests do not meet. */
let salt = 0n;

const chain = useLocalChain();
const dir = makeTempFolder();
let engine: ServingEngine;
let operator: HDNodeWallet;
let items: Address;

beforeAll(async () => {
  const { provider, chainId, url } = chain();
  operator = devWallet(0, provider);
  items = await deployContract('GameItems', [], operator);
  const block = await provider.getBlock('latest');
  engine = await startEngine({ dir, clock: new ManualClock((block?.timestamp ?? 0) * 1000) });
  await engine.service.call('chains.set', { chainId, rpc: url });
  await engine.service.call('signers.create', { chainId });
  for (const version of ['0.7', '0.8', '0.9'] as const) {
    worlds.set(version, await deployEntryPointWorld(operator, chainId, version));
  }
  for (const [version, entryPointVersion] of versions) {
    const address = await attachNewContract(engine.service, operator, { chainId, version });
    await fundDeposit(worlds.get(entryPointVersion)!.entryPoint, address, parseEther('1'), operator);
    paymasters.set(version, address);
  }
});
afterAll(async () => {
  await engine.stop();
  removeTempFolder(dir);
});

describe.each(versions)('a DApp of version %s', (version, entryPointVersion) => {
  let world: EntryPointWorld;
  let paymaster: Address;
  let dapp: SponsoredDapp;
  beforeAll(async () => {
    world = worlds.get(entryPointVersion)!;
    paymaster = paymasters.get(version)!;
    dapp = await engine.dapp({ version });
  });

  const firstOperation = async (): Promise<UserOperation> => {
    const account = await world.newAccount(operator, (salt += 1n));
    return { ...world.firstOperation(account, { to: items, data: gameCall('mint') }), signature: STUB_SIGNATURE };
  };
  /** What wallets send before gas is known. */
  const withoutGas = (op: UserOperation): Record<string, unknown> => {
    const { callGasLimit: _c, verificationGasLimit: _v, preVerificationGas: _p, ...wire } = toRpcUserOperation(op);
    return wire;
  };

  /** As it is read: the letter case of its bytes says nothing. */
  const inLowerCase = (op: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(op).map(([field, value]) => [field, String(value).toLowerCase()]));

  test('has an operation estimated, sponsored and mined, and the EntryPoint reports it under the hash that was stored', async () => {
    const op = await firstOperation();
    const { body } = await dapp.sponsor(withoutGas(op), { calculateGasLimits: true });
    expect(body.error).toBeUndefined();
    const { paymasterAndData, callGasLimit, verificationGasLimit, preVerificationGas } = body.result!;
    const gas = { callGasLimit, verificationGasLimit, preVerificationGas };
    const limited = { ...op, ...Object.fromEntries(Object.entries(gas).map(([name, value]) => [name, BigInt(value)])) };
    const before = await world.deposit(paymaster);
    const sponsored = withPaymasterAndData(limited, paymasterAndData);
    const mined = await world.mine(await world.sign(sponsored, operator));
    expect(mined).toMatchObject({ success: true, paymaster: expect.stringMatching(new RegExp(paymaster, 'i')) });
    const paid = before - (await world.deposit(paymaster));
    expect(paid).toBe(mined.actualGasCost);

    const decision = (await dapp.decisions())[0]!;
    expect(decision).toMatchObject({
      outcome: 'sponsored',
      entryPoint: world.entryPoint,
      userOpHash: entryPoints[entryPointVersion].hash(sponsored, {
        chainId: chain().chainId,
        entryPoint: world.entryPoint,
      }),
      paymasterAndData,
      request: { received: [withoutGas(op), expect.anything()], userOperation: inLowerCase(withoutGas(op)) },
    });
    expect(paid).toBeLessThanOrEqual(BigInt(decision.maxCostWei!));
    expect(decision.trace[0]?.evidence).toHaveProperty('paymasterVerificationGasLimit');
  });

  test("may leave the limits of the paymaster out: they are its contract's", async () => {
    const { body } = await dapp.sponsor(toRpcUserOperation(await firstOperation()));
    expect(body.result?.paymasterAndData.slice(42, 106)).toBe(
      `${(60_000).toString(16).padStart(32, '0')}${'0'.repeat(32)}`,
    );
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['of v0.6', { initCode: '0x1234', factory: undefined, factoryData: undefined }, 'factory must be an EVM address'],
    [
      'half filled',
      { callGasLimit: undefined },
      'callGasLimit must be given, above 0, unless calculateGasLimits is true',
    ],
    ['of absurd gas', { callGasLimit: `0x1${'0'.repeat(30)}` }, 'callGasLimit must be at most 2^120 - 1'],
    [
      'of gas beyond its packed field',
      { verificationGasLimit: `0x1${'0'.repeat(32)}` },
      'verificationGasLimit must be at',
    ],
    [
      'of absurd gas for the paymaster',
      { paymasterPostOpGasLimit: `0x1${'0'.repeat(30)}` },
      'paymasterPostOpGasLimit must',
    ],
  ])('the answer names what is wrong with an operation %s, and nothing is signed', async (_, change, message) => {
    const { status, body } = await dapp.sponsor({ ...toRpcUserOperation(await firstOperation()), ...change });
    expect([status, body.error?.code, body.result]).toEqual([400, -32602, undefined]);
    expect(body.error?.message).toContain(message);
  });

  test('does not pay for wallets it has not agreed to deploy', async () => {
    const strict = await engine.dapp({ version });
    const { paymasterId } = strict;
    const rule = { name: 'Deploy', policyType: 'WALLET_DEPLOYMENT', policyData: {} };
    const { _id: ruleId } = await engine.service.call('rules.create', { paymasterId, rule });
    await engine.service.call('rules.deactivate', { paymasterId, ruleId });
    const { body } = await strict.sponsor(toRpcUserOperation(await firstOperation()));
    expect(body.result?.reason?.code).toBe('WALLET_DEPLOYMENT_NOT_SPONSORED');
    expect(body.result?.paymasterAndData).toBe('0x');
  });
});

describe('an EIP-7702 operation of v0.8', () => {
  const SENDER: Address = `0x${'77'.repeat(20)}`;
  const DELEGATE: Address = `0x${'de'.repeat(20)}`;
  const authorization = { chainId: '0x0', address: DELEGATE, nonce: '0x0' };
  const op = {
    ...operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }),
    sender: SENDER,
    initCode: undefined,
    factory: MARKER,
  };
  let dapp: SponsoredDapp;
  let paymasterId: string;
  beforeAll(async () => {
    dapp = await engine.dapp({ version: 'singleton-0.8' });
    ({ paymasterId } = dapp);
    const rule = { name: 'Deploy', policyType: 'WALLET_DEPLOYMENT', policyData: {} };
    const { _id: ruleId } = await engine.service.call('rules.create', { paymasterId, rule });
    await engine.service.call('rules.deactivate', { paymasterId, ruleId });
    await chain().provider.send('anvil_setCode', [DELEGATE, ACCEPTING_ACCOUNT]);
  });
  const codeOf = ({ body }: RpcReply): string => body.result?.reason?.code ?? body.error?.message ?? 'SPONSORED';

  test('is a wallet deployment only if it initialises the account: taking on code makes none', async () => {
    const taken = { ...op, eip7702Auth: authorization };
    expect(codeOf(await dapp.sponsor(taken))).toBe('SPONSORED');
    expect(codeOf(await dapp.sponsor({ ...taken, factoryData: '0x01' }))).toBe('WALLET_DEPLOYMENT_NOT_SPONSORED');
  });

  test('is stored under the hash with its delegate, from the authorisation or from the chain', async () => {
    const byAuthorization = await dapp.sponsor({ ...op, eip7702Auth: authorization });
    await chain().provider.send('anvil_setCode', [SENDER, `0xef0100${DELEGATE.slice(2)}`]);
    const byChain = await dapp.sponsor(op);
    await chain().provider.send('anvil_setCode', [SENDER, '0x']);
    expect([codeOf(byAuthorization), codeOf(byChain)]).toEqual(['SPONSORED', 'SPONSORED']);
    const [second, first] = await dapp.decisions();
    expect(second!.userOpHash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(second!.userOpHash).toBe(first!.userOpHash);
  });

  test('whose delegate is unknown is refused by name of the field', async () => {
    expect(codeOf(await dapp.sponsor(op))).toContain('eip7702Auth must be given');
  });

  /** As viem sends it until the operation is signed. */
  const placeholder = {
    yParity: '0x01',
    r: '0xfffffffffffffffffffffffffffffff000000000000000000000000000000000',
    s: '0x7aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  };
  const HALF_N = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
  const stub = (sent: object): Promise<RpcReply> =>
    engine.post(`/rpc/${chain().chainId}`, stubRequest(sent), { apiKey: dapp.apiKey });
  const stubRequest = (sent: object) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'pm_getPaymasterStubData',
    params: [sent, worlds.get('0.8')!.entryPoint, chain().chainId],
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['a signature without r', { r: `0x${'0'.repeat(64)}` }, 'eip7702Auth.r must be above 0'],
    ['a signature without s', { s: '0x0' }, 'eip7702Auth.s must be above 0'],
    ['an r beyond the curve', { r: `0x${'f'.repeat(64)}` }, 'eip7702Auth.r must be above 0 and below'],
    ['an s of the upper half', { s: String(HALF_N + 1n) }, 'eip7702Auth.s must be above 0 and at most half'],
    [
      "a nonce that is not the account's",
      { nonce: '0x5' },
      `eip7702Auth.nonce must be 0, the nonce of ${SENDER} on chain 31337, but it is 5`,
    ],
  ])('with %s is refused by name when it is to be signed, but not as a stub', async (_, change, message) => {
    const sent = { ...op, eip7702Auth: { ...authorization, ...placeholder, ...change } };
    expect(codeOf(await dapp.sponsor(sent))).toContain(message);
    expect((await dapp.decisions())[0]).toMatchObject({ outcome: 'error', code: 'VALIDATION' });
    expect((await stub(sent)).status).toBe(200);
  });

  test.each(['pm_getPaymasterStubData', 'sponsor'])(
    'whose delegate is no contract is refused as such, not by an AA code of the EntryPoint: %s',
    async (method) => {
      const nobody = `0x${'0d'.repeat(20)}`;
      const sent = { ...op, eip7702Auth: { ...authorization, address: nobody } };
      const answer = method === 'sponsor' ? dapp.sponsor(sent, { calculateGasLimits: true }) : stub(sent);
      expect((await answer).body.error).toMatchObject({
        code: -32602,
        message: `eip7702Auth.address must be a contract: ${nobody} has no code on chain 31337`,
      });
    },
  );

  test('is sponsored with any signer of the authorisation, since clients sign it last; the operator reads whose it is', async () => {
    const wallet = operator.deriveChild(7);
    const signed = (by: HDNodeWallet) => {
      const { signature, ...auth } = by.authorizeSync({ address: DELEGATE, chainId: 0, nonce: 0 });
      const { r, s, yParity } = signature;
      return { ...auth, chainId: 0, nonce: 0, r, s, v: 27 + yParity };
    };
    const authorizations = [authorization, { ...authorization, ...placeholder }, signed(wallet), signed(operator)];
    const codes = [];
    for (const eip7702Auth of authorizations) {
      expect(codeOf(await dapp.sponsor({ ...op, sender: wallet.address, eip7702Auth }))).toBe('SPONSORED');
      const { trace } = (await dapp.decisions())[0]!;
      codes.push(trace.find(({ rule }) => rule === 'authorization')?.code);
    }
    expect(codes).toEqual(['NOT_SIGNED_YET', expect.any(String), 'SIGNED_BY_SENDER', 'NOT_SIGNED_BY_SENDER']);
    expect(['SIGNATURE_OF_NOBODY', 'NOT_SIGNED_BY_SENDER']).toContain(codes[1]);
  });

  test("comes to a rule's webhook in the form of its EntryPoint", async () => {
    const receiver = await startReceiver(verify);
    const rule = { name: 'Ask', policyType: 'WEBHOOK', policyData: { url: receiver.url } };
    const { _id: ruleId } = await engine.service.call('rules.create', { paymasterId, rule });
    await dapp.sponsor({ ...op, eip7702Auth: authorization });
    await engine.service.call('rules.deactivate', { paymasterId, ruleId });
    const { userOp } = JSON.parse(receiver.calls[0]!.body) as { userOp: Record<string, unknown> };
    expect(userOp).toMatchObject({
      factory: MARKER,
      nonce: '0x0',
      paymasterVerificationGasLimit: '0xea60',
      eip7702Auth: { chainId: '0x0', address: DELEGATE },
    });
    expect(userOp).not.toHaveProperty('initCode');
  });
});
