import { AbiCoder, Interface, Transaction, Wallet, concat } from 'ethers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operationOf, packedOperation, vectorCases } from '../../../test/support/vectors.ts';
import type { PaymasterVector } from '../../../test/support/vectors.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import {
  type InspectionReading,
  type InspectionSection,
  MAX_INSPECTED,
  inspection,
} from '../../shared/schema/inspection.ts';
import { entryPoints } from '../entry-points/registry.ts';
import { PACKED_USER_OPERATION_ABI, USER_OPERATION_V06_ABI } from '../user-operation/abi.ts';
import { splitSuffix } from '../user-operation/paymaster-signature.ts';
import { inspect } from './inspect.ts';
import type { Clues, Knowledge } from './knowledge.ts';

const vectors = vectorCases('paymaster-layouts');
/**
 * The vectors, except those with values that no EntryPoint accepts, and those that cannot be hashed without a delegate.
 */
const signed = vectors.filter(({ id, params, userOp }) => {
  const isOf7702 = params.eip7702Delegate !== undefined || ('factory' in userOp && userOp.factory.startsWith('0x7702'));
  return !id.endsWith('/4') && !isOf7702;
});

const LOCAL = { chainId: 31_337, name: 'Local chain', symbol: 'ETH' };
const knowing = (known: Partial<Knowledge> = {}): Knowledge => ({
  now: 1_750_000_000,
  chains: [LOCAL],
  contracts: [],
  signers: [],
  decided: [],
  ...known,
});
const signerOf = ({ chainId, signerAddress }: PaymasterVector) => ({ chainId, address: signerAddress });
const decidedOf = ({ chainId, entryPoint, userOp, params, signerAddress, paymasterAndData }: PaymasterVector) => ({
  chainId,
  entryPoint,
  sender: userOp.sender,
  nonce: BigInt(userOp.nonce),
  signer: signerAddress,
  paymasterAndData,
  ...(params.senderNonce !== undefined && { senderNonce: BigInt(params.senderNonce) }),
  ...(params.eip7702Delegate !== undefined && { delegate: params.eip7702Delegate }),
});

const look = (text: string, known?: Partial<Knowledge>) => inspect(text, knowing(known));
const first = (text: string, known?: Partial<Knowledge>): InspectionReading => {
  const { inspection: found } = look(text, known);
  const [reading] = found.readings;
  if (reading === undefined) throw new Error(JSON.stringify(found.misfits));
  return reading;
};
const hashesIn = ({ operations }: Clues): readonly Hex[] => operations.flatMap(({ hashes }) => hashes);
const sectionAt = ({ sections }: InspectionReading, path: string): InspectionSection => {
  const section = sections.find((one) => one.path === path);
  if (section === undefined) throw new Error(`no section at ${path}: ${sections.map((one) => one.path).join()}`);
  return section;
};
const covered = ({ bytes }: InspectionSection): string => `0x${bytes.map(({ hex }) => hex.slice(2)).join('')}`;

/** Expects a name for every byte: the ranges follow each other without gaps. */
const expectWhole = ({ readings }: ReturnType<typeof look>['inspection']): void => {
  for (const { bytes } of readings.flatMap(({ sections }) => sections)) {
    let end = 0;
    for (const { offset, length, hex } of bytes) {
      expect(offset).toBe(end);
      expect(hex).toHaveLength(2 + 2 * length);
      end += length;
    }
  }
};

describe('paymasterAndData', () => {
  it.each(vectors)('is taken apart into the fields of its contract: $id', ({ paymasterAndData, layout, contract }) => {
    const { inspection: found } = look(paymasterAndData);
    const reading = found.readings.find(({ title }) => title.includes(contract)) ?? found.readings[0];
    const [section] = reading?.sections ?? [];
    expect(section?.bytes.map(({ offset, length, hex }) => ({ offset, length, value: hex }))).toEqual(
      layout.map(({ offset, length, value }) => ({ offset, length, value: value.toLowerCase() })),
    );
    expect(found.misfits.length).toBeGreaterThan(5);
    expectWhole(found);
  });

  it('fits only layouts whose bytes are the same', () => {
    for (const { paymasterAndData, id } of signed) {
      expect(look(paymasterAndData).inspection.readings, id).toHaveLength(1);
    }
  });

  it('is certain where the desk has the contract', () => {
    const [vector] = vectors.filter(({ id }) => id.startsWith('pimlico-singleton-v8-verifying'));
    if (vector === undefined) throw new Error('no vector');
    const { chainId, contractAddress: address, paymasterAndData } = vector;
    expect(first(paymasterAndData)).toMatchObject({ sureness: 'likely', symbol: null });
    const attached = first(paymasterAndData, { contracts: [{ chainId, version: 'singleton-0.8', address }] });
    expect(attached).toMatchObject({
      title: 'paymasterAndData: Pimlico SingletonPaymasterV8 (npm build)',
      sureness: 'certain',
      symbol: 'ETH',
    });
    const other = first(paymasterAndData, { contracts: [{ chainId, version: '2.0.0', address }] });
    expect(other.sureness).toBe('possible');
    expect(other.sections[0]?.checks.at(-1)).toMatchObject({ ok: false });
  });

  it.each([
    [1_699_999_999, false, 'Not valid yet.'],
    [1_700_000_001, true, 'Valid now.'],
    [1_893_456_000, true, 'Valid now.'],
    [1_893_456_001, false, 'Expired.'],
  ])('shows at %i whether it is valid', (now, ok, words) => {
    const { paymasterAndData = '' } = vectors.find(({ id }) => id === 'verifying-paymaster-v0.6/1') ?? {};
    expect(first(paymasterAndData, { now }).sections[0]?.checks).toContainEqual({ name: 'validity', ok, words });
  });

  it('shows block numbers only where an EntryPoint takes them for such', () => {
    const wordsOf = (id: string): (string | undefined)[] => {
      const { paymasterAndData = '' } = vectors.find((vector) => vector.id === id) ?? {};
      return first(paymasterAndData).sections.flatMap(({ checks }) =>
        checks.filter(({ name }) => name === 'validity').map(({ words }) => words),
      );
    };
    expect(wordsOf('parallel-paymaster-v0.9/5')).toEqual([
      `Valid after block ${2 ** 47 - 2}, until block ${2 ** 47 - 1}.`,
    ]);
    expect(wordsOf('verifying-paymaster-v0.7/4')).toEqual(['Not valid yet.']);
  });

  it('is proven by the decision that signed it, and by no other', () => {
    const [vector, other] = vectors.filter(({ id }) => id.startsWith('biconomy-sponsorship-v0.7'));
    if (vector === undefined || other === undefined) throw new Error('no vector');
    const decided = [{ ...decidedOf(other), op: operationOf(other) }];
    expect(first(vector.paymasterAndData, { decided }).sections[0]?.checks[0]?.ok).toBeNull();
    decided.push({ ...decidedOf(vector), op: operationOf(vector) });
    expect(first(vector.paymasterAndData, { decided }).sections[0]?.checks[0]?.ok).toBe(true);
  });

  it('says why it fits no layout', () => {
    const { misfits } = look(`0x${'12'.repeat(93)}`).inspection;
    expect(misfits).toContainEqual({
      what: 'paymasterAndData of verifying-0.6',
      why: 'too short: 93 bytes, needs 149',
    });
  });

  it('of another contract is cut as its EntryPoint cuts it', () => {
    const half = (gas: number): string => gas.toString(16).padStart(32, '0');
    const reading = first(`0x${'ab'.repeat(20)}${half(50_000)}${half(0)}c0ffee`);
    expect(reading).toMatchObject({ what: 'paymasterAndData', sureness: 'possible' });
    expect(reading.sections[0]?.bytes.map(({ name, value }) => [name, value])).toEqual([
      ['paymaster', `0x${'ab'.repeat(20)}`],
      ['paymasterVerificationGasLimit', '50000'],
      ['paymasterPostOpGasLimit', '0'],
      ['paymasterData', ''],
    ]);
  });
});

describe('a user operation', () => {
  it.each(vectors)('is hashed, and its signer is recovered: $id', (vector) => {
    const { chainId, entryPoint, userOp, userOpHash } = vector;
    const text = JSON.stringify({ method: 'eth_sendUserOperation', params: [userOp, entryPoint], id: 1 });
    const { inspection: found, clues } = look(text, { signers: [signerOf(vector)], decided: [decidedOf(vector)] });
    const [reading] = found.readings;
    expect(reading).toMatchObject({ what: 'userOperation', sureness: 'certain', symbol: 'ETH' });
    if (reading === undefined) throw new Error('nothing found');
    const data = sectionAt(reading, 'params[0].paymasterAndData');
    expect(covered(data)).toBe(vector.paymasterAndData);
    expect(data.checks[0]).toMatchObject({ name: 'signer', ok: true });
    // The hash of an EIP-7702 operation depends on its delegate.
    const isHashed = signed.includes(vector) || vector.params.eip7702Delegate !== undefined || vector.id.endsWith('/4');
    expect(hashesIn(clues).includes(userOpHash)).toBe(isHashed);
    const asked = { sender: userOp.sender.toLowerCase(), nonce: BigInt(userOp.nonce) };
    expect(clues.operations).toMatchObject([asked]);
    expect(chainId).toBe(LOCAL.chainId);
    expectWhole(found);
  });

  it.each(signed)('shows that another key signed, or that it was changed: $id', (vector) => {
    const other = { chainId: vector.chainId, address: `0x${'77'.repeat(20)}` as const };
    const text = JSON.stringify(vector.userOp);
    const reading = first(text, { signers: [other], decided: [{ ...decidedOf(vector), signer: other.address }] });
    const { checks, values } = sectionAt(reading, 'paymasterAndData');
    expect(checks[0]).toMatchObject({ name: 'signer', ok: false });
    expect(values.map(({ value }) => value)).toEqual(expect.arrayContaining([vector.signerAddress, other.address]));
    // The signers of a contract that Gasdesk does not know are unknown.
    const foreign = sectionAt(first(text, { signers: [other] }), 'paymasterAndData');
    expect(foreign.checks[0]).toMatchObject({ name: 'signer', ok: null });
  });

  it.each(signed.filter(({ packedUserOp }) => packedUserOp !== undefined))('is read packed: $id', (vector) => {
    const known = { signers: [signerOf(vector)], decided: [decidedOf(vector)] };
    const { inspection: found, clues } = look(JSON.stringify(vector.packedUserOp), known);
    expect(found.readings[0]?.what).toBe('userOperation');
    expect(hashesIn(clues)).toContain(vector.userOpHash);
  });

  it("is read with a paymaster signature in a field of its own, as viem sends it, and so is a desk's answer", () => {
    const [vector] = vectors.filter(({ id }) => id.startsWith('parallel-paymaster'));
    if (vector === undefined) throw new Error('no vector');
    const { signed: paymasterData, signature: paymasterSignature } = splitSuffix(vector.paymasterAndData, 52);
    const sent = { ...vector.userOp, paymasterData: `0x${paymasterData.slice(106)}`, paymasterSignature };
    const known = { signers: [signerOf(vector)], decided: [decidedOf(vector)] };
    const { inspection: found, clues } = look(JSON.stringify(sent), known);
    expect(hashesIn(clues)).toContain(vector.userOpHash);
    expect(sectionAt(found.readings[0]!, 'paymasterAndData').checks[0]).toMatchObject({ name: 'signer', ok: true });
    const { sender: _s, nonce: _n, callData: _c, ...answer } = sent as Record<string, unknown>;
    const [first] = look(JSON.stringify({ result: answer }), known).inspection.readings;
    expect(first?.what).toBe('paymasterAndData');
  });

  it('is read as far as possible while gas is yet to be estimated', () => {
    const [vector] = vectors;
    if (vector === undefined) throw new Error('no vector');
    const { sender, nonce, callData } = vector.userOp;
    const reading = first(JSON.stringify({ sender, nonce, callData, initCode: '0x' }));
    expect(reading.sections[0]?.notes.join()).toMatch(/^Missing: callGasLimit, verificationGasLimit, preVer/);
    expect(sectionAt(reading, 'callData').calls).toHaveLength(1);
  });

  it('names the field that it cannot read', () => {
    const { readings, misfits } = look('{"sender":"0x12","nonce":"1","callData":"0x"}').inspection;
    expect(readings).toEqual([]);
    expect(misfits).toContainEqual({ what: 'a user operation', why: 'sender must be an EVM address' });
  });

  it('is found in a request for sponsorship, with its chain', () => {
    const [vector] = vectors.filter(({ id }) => id.startsWith('pimlico-singleton-v7-verifying'));
    if (vector === undefined) throw new Error('no vector');
    const params = [vector.userOp, vector.entryPoint, '0x7a69', {}];
    const { clues } = look(JSON.stringify([{ jsonrpc: '2.0', id: 1, method: 'pm_getPaymasterData', params }]));
    expect(hashesIn(clues)).toEqual([vector.userOpHash]);
  });

  it('and the answer of a paymaster: its fields are put together', () => {
    const [vector] = vectors.filter(({ id }) => id.startsWith('biconomy-sponsorship-v0.7'));
    if (vector === undefined || !('paymasterData' in vector.userOp)) throw new Error('no vector');
    const { paymaster, paymasterData, paymasterVerificationGasLimit, paymasterPostOpGasLimit } = vector.userOp;
    const result = { paymaster, paymasterData, paymasterVerificationGasLimit, paymasterPostOpGasLimit };
    const reading = first(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
    expect(covered(sectionAt(reading, 'result.paymaster'))).toBe(vector.paymasterAndData);
  });
});

const bundleOf = (cases: readonly PaymasterVector[]): Hex => {
  const isPacked = cases.every(({ entryPointVersion }) => entryPoints[entryPointVersion].isPacked);
  const tuple = isPacked ? PACKED_USER_OPERATION_ABI : USER_OPERATION_V06_ABI;
  const abi = new Interface([`function handleOps(${tuple}[] ops, address beneficiary)`]);
  const ops = cases.map((vector) => (isPacked ? packedOperation(vector) : operationOf(vector)));
  return abi.encodeFunctionData('handleOps', [ops, `0x${'be'.repeat(20)}`]) as Hex;
};

describe('a bundle', () => {
  const groups = Object.keys(entryPoints).map((version) =>
    signed.filter(({ entryPointVersion }) => entryPointVersion === version).slice(0, 3),
  );

  it.each(groups.map((cases) => ({ version: cases[0]?.entryPointVersion, cases })))(
    'of EntryPoint $version: every byte is named, every operation taken apart',
    ({ cases }) => {
      const callData = bundleOf(cases);
      const known = { signers: cases.map(signerOf), decided: cases.map(decidedOf) };
      const { inspection: found, clues } = look(callData, known);
      const [reading] = found.readings;
      if (reading === undefined) throw new Error(JSON.stringify(found.misfits));
      expect(reading).toMatchObject({ what: 'bundle', sureness: 'certain' });
      expect(reading.sections[0] && covered(reading.sections[0])).toBe(callData);
      expectWhole(found);
      for (const [index, vector] of cases.entries()) {
        expect(sectionAt(reading, `ops[${index}].paymasterAndData`).checks[0], vector.id).toMatchObject({ ok: true });
        expect(hashesIn(clues)).toContain(vector.userOpHash);
      }
    },
  );

  it.each([51, 52])(
    'names the paymaster of an operation with %i bytes of it, or says that they are too few',
    (length) => {
      const [vector] = signed.filter(({ packedUserOp }) => packedUserOp !== undefined);
      if (vector?.packedUserOp === undefined) throw new Error('no vector');
      const paymasterAndData = vector.paymasterAndData.slice(0, 2 + 2 * length) as Hex;
      const reading = first(bundleOf([{ ...vector, packedUserOp: { ...vector.packedUserOp, paymasterAndData } }]));
      const sections = reading.sections.filter(({ path }) => path === 'ops[0].paymasterAndData');
      expect(sections.map(covered)).toEqual(length === 52 ? [paymasterAndData] : []);
      expect(JSON.stringify(reading).includes('AA93')).toBe(length !== 52);
    },
  );

  it.each([0, 1, 2, 4])('is found in a signed transaction of type %i, by whom it was sent', async (type) => {
    const [cases = []] = groups;
    const wallet = new Wallet(`0x${'11'.repeat(32)}`);
    const fees = type < 2 ? { gasPrice: 7 } : { maxFeePerGas: 7, maxPriorityFeePerGas: 1 };
    const body = { to: cases[0]?.entryPoint ?? null, data: bundleOf(cases), gasLimit: 1_000_000, chainId: 31_337 };
    const transaction = Transaction.from({ type, nonce: 3, value: 0, ...fees, ...body });
    const raw = await wallet.signTransaction(transaction);
    const { inspection: found, clues } = look(raw);
    const [reading] = found.readings;
    expect(reading?.what).toBe('transaction');
    expect(reading?.sections[0] && covered(reading.sections[0])).toBe(raw);
    expect(reading?.sections[0]?.values.map(({ value }) => value)).toContain(wallet.address);
    expect(hashesIn(clues)).toContain(cases[0]?.userOpHash);
    expectWhole(found);
  });

  it('whose offsets point at the same bytes is refused, however many there are', () => {
    const word = (value: number): string => value.toString(16).padStart(64, '0');
    const count = 1_500;
    const items = Array.from({ length: count }, () => word(count * 32)).join('');
    const tuple = bundleOf(groups[0] ?? []).slice(-2_000 - (2_000 % 64));
    const callData = `0x1fad948c${word(64)}${word(0)}${word(count)}${items}${tuple}`;
    expect(look(callData).inspection.readings.map(({ what }) => what)).not.toContain('bundle');
  });
});

const encode = (signature: string, values: unknown[]): Hex => {
  const [name = ''] = signature.split('(');
  return new Interface([`error ${signature}`]).encodeErrorResult(name, values) as Hex;
};

describe('an error', () => {
  it.each<[string, string, string, string]>([
    [
      'revert data',
      encode('FailedOp(uint256,string)', [0, 'AA25 invalid account nonce']),
      'AA25',
      'The nonce is already used',
    ],
    [
      'revert data in revert data',
      encode('FailedOpWithRevert(uint256,string,bytes)', [
        1,
        'AA33 reverted',
        encode('InsufficientBalance(uint256,uint256)', [5, 4]),
      ]),
      'AA33',
      'The gas tank',
    ],
    [
      'the words of a bundler',
      'UserOperation reverted with reason: AA21 didn’t pay prefund',
      'AA21',
      'No paymaster pays',
    ],
    ['an error of JSON-RPC', '{"error":{"code":-32500,"message":"AA34 signature error"}}', 'AA34', 'does not accept'],
    [
      'an error of JSON-RPC with data',
      JSON.stringify({ error: { data: encode('FailedOp(uint256,string)', [0, 'AA51 prefund below actualGasCost']) } }),
      ...(['AA51', 'cost more'] as const),
    ],
    [
      'a text with data in it',
      `execution reverted, data: "${encode('FailedOp(uint256,string)', [0, 'AA13 initCode failed or OOG'])}"`,
      ...(['AA13', 'factory'] as const),
    ],
    ['a panic', encode('Panic(uint256)', [17]), 'Panic', 'failed because of an overflow'],
    [
      'a refused aggregator',
      encode('SignatureValidationFailed(address)', [Wallet.createRandom().address]),
      'Sig',
      'aggregator',
    ],
  ])('is explained: %s', (_, text, title, words) => {
    const { inspection: found } = look(text);
    const [reading] = found.readings;
    expect(reading?.title).toContain(title);
    expect(JSON.stringify(reading?.sections)).toContain(words);
    expectWhole(found);
  });

  it('that is cut is named all the same', () => {
    const data = encode('FailedOp(uint256,string)', [0, 'AA25 invalid account nonce']);
    const reading = first(data.slice(0, 120));
    expect(reading.title).toBe('Revert data: FailedOp');
    expect(reading.sections[0]?.notes.join()).toContain('cannot be read');
  });
});

describe('other things', () => {
  it.each([
    [`0x${'ab'.repeat(32)}`, 'hash', 'A hash of 32 bytes'],
    ['0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789', 'address', 'EntryPoint 0.6'],
    [`"0x${'ab'.repeat(20)}",`, 'address', 'An address'],
    ['ab'.repeat(32), 'hash', 'A hash of 32 bytes'],
  ])('%s is %s', (text, what, title) => {
    expect(first(text)).toMatchObject({ what, title });
  });

  it('callData of an account is decoded', () => {
    const [vector] = vectors;
    const reading = first(vector?.userOp.callData ?? '');
    expect(reading.what).toBe('callData');
    expect(reading.sections[0]?.calls).toHaveLength(1);
  });
});

describe('what nothing fits ends in a reason, and soon', () => {
  const SOON_MS = 2_000;
  const huge = MAX_INSPECTED;
  const word = AbiCoder.defaultAbiCoder().encode(['uint256'], [2n ** 255n]);
  it.each<[string, string]>([
    ['nothing', ''],
    ['no bytes', '0x'],
    ['half a byte', '0x123'],
    ['words', 'what is this?'],
    ['broken JSON', '{"sender":'],
    ['JSON of something else', '{"a":[1,2,{"b":null}]}'],
    ['deep JSON', '['.repeat(huge / 2) + ']'.repeat(huge / 2)],
    ['deep objects', `${'{"result":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['a wide array', `[${'{},'.repeat(30_000)}{}]`],
    ['half a surrogate pair', '\ud800AA\udc00'],
    ['zeros', `0x${'00'.repeat(huge / 2 - 2)}`],
    ['ones', `0x${'ff'.repeat(huge / 2 - 2)}`],
    ['lists in lists', `0x${'f9ffff'.repeat(20_000)}`],
    ['lists of one list', `0x02${'c1'.repeat(60_000)}`],
    ['a bundle that is cut off', concat(['0x765e827f', word, word, word])],
    ['an error that is cut off', concat(['0x08c379a0', word, word])],
  ])(
    '%s',
    (_, text) => {
      const { inspection: found } = look(text);
      inspection.parse(found);
      expectWhole(found);
      if (found.readings.length === 0) expect(found.misfits.length).toBeGreaterThan(0);
    },
    SOON_MS,
  );

  it('for any bytes and any text', () => {
    const bytes = fc.uint8Array({ maxLength: 600 }).map((value) => `0x${Buffer.from(value).toString('hex')}`);
    const selectors = fc.constantFrom(
      '0x1fad948c',
      '0x765e827f',
      '0x08c379a0',
      '0x220266b6',
      '0x65c8fd4d',
      '0x02f8',
      '0x',
    );
    const begun = fc.tuple(selectors, bytes).map(([head, tail]) => head + tail.slice(2));
    const members = fc.constantFrom(
      'sender',
      'nonce',
      'callData',
      'params',
      'error',
      'data',
      'paymasterAndData',
      'result',
    );
    const json = fc
      .dictionary(members, fc.oneof(fc.jsonValue(), bytes, fc.dictionary(members, bytes)))
      .map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(fc.oneof(bytes, begun, json, fc.string({ unit: 'binary' })), (text) => {
        const { inspection: found } = look(text, { signers: [{ chainId: 1, address: `0x${'11'.repeat(20)}` }] });
        inspection.parse(found);
        expectWhole(found);
      }),
      { numRuns: 300 },
    );
  });
});
