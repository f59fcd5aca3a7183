import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { operationV06, operationV07, tokenChargeCases } from '../../../test/support/vectors.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { tokenCost } from './amounts.ts';
import { type ChargedLimits, POST_OP_GAS, chargedWei, mostChargedWei, requiredPreFund } from './charge.ts';
import type { TokenContractKind } from './token-contract.ts';

const cases = tokenChargeCases();
const kindOf = (id: string): TokenContractKind => {
  const [, version] = /^pimlico-singleton-v(\d)/.exec(id) ?? [];
  return version === undefined ? 'biconomy-token-0.6' : (`singleton-0.${version}` as TokenContractKind);
};
const operationOf = (vector: (typeof cases)[number]): UserOperation =>
  vector.entryPointVersion === '0.6' ? operationV06(vector) : operationV07(vector);

describe.each(cases)('$id', (vector) => {
  const { tokenCharge, params, contractAddress } = vector;
  const kind = kindOf(vector.id);
  const op = operationOf(vector);
  const { priceMarkup = 1_000_000, constantFee = '0' } = params;
  const exchangeRate = BigInt(params.exchangeRate);
  const limits: ChargedLimits = {
    ...op,
    postOpGas: BigInt(params.postOpGas ?? 0),
    paymasterValidationGasLimit: BigInt(params.paymasterValidationGasLimit ?? 0),
  };
  const cost = {
    actualGasCost: BigInt(tokenCharge.nativeGasCostGivenToPostOp),
    feePerGas: BigInt(tokenCharge.feePerGas),
  };

  test('what the contract took from the user is what we say it takes', () => {
    const wei = chargedWei(kind, cost, limits);
    const units = (((wei * exchangeRate) / 10n ** 18n) * BigInt(priceMarkup)) / 1_000_000n;
    expect(String(units + BigInt(constantFee))).toBe(tokenCharge.tokenAmountPaid);
  });

  test('and is within the most that was promised to the user', () => {
    const most = mostChargedWei({ kind, address: contractAddress }, op);
    const units = tokenCost(most, exchangeRate, BigInt(priceMarkup));
    expect(BigInt(tokenCharge.tokenAmountPaid) - BigInt(constantFee) <= units).toBe(true);
  });
});

test('there are cases of every contract', () => {
  expect([...new Set(cases.map(({ id }) => kindOf(id)))].sort()).toEqual([
    'biconomy-token-0.6',
    'singleton-0.6',
    'singleton-0.7',
    'singleton-0.8',
  ]);
});

describe('however much gas an operation uses and whatever it pays for it, the charge is within the most', () => {
  const gas = fc.bigInt({ min: 0n, max: 10_000_000n });
  const address = `0x${'9a'.repeat(20)}` as const;
  const base = { sender: address, nonce: 0n, callData: '0x', signature: '0x' } as const;
  const fees = { maxFeePerGas: 100n, maxPriorityFeePerGas: 0n };

  test.each(['biconomy-token-0.6', 'singleton-0.6', 'singleton-0.7', 'singleton-0.8'] as const)('%s', (kind) => {
    const amounts = fc.record({
      callGasLimit: gas,
      verificationGasLimit: gas,
      preVerificationGas: gas,
      paymasterVerificationGasLimit: gas,
      paymasterPostOpGasLimit: gas,
    });
    fc.assert(
      fc.property(
        amounts,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.bigInt({ min: 0n, max: 100n }),
        (given, share, feePerGas) => {
          const op: UserOperation = kind.endsWith('0.6')
            ? { ...base, ...fees, ...given, initCode: '0x', paymasterAndData: '0x' }
            : { ...base, ...fees, ...given };
          const most = requiredPreFund(op, { address }) / 100n;
          const used = (most * BigInt(Math.floor(share * 1000))) / 1000n;
          const limits = { ...op, postOpGas: POST_OP_GAS, paymasterValidationGasLimit: 30_000n };
          const charged = chargedWei(kind, { actualGasCost: used * feePerGas, feePerGas }, limits);
          expect(charged <= mostChargedWei({ kind, address }, op)).toBe(true);
        },
      ),
    );
  });
});
