import { describe, expect, it } from 'vitest';
import { ScriptedNode } from '../../../test/support/scripted-node.ts';
import { EngineError } from '../../shared/errors.ts';
import { RpcError } from '../chain/rpc.ts';
import { type SimulatedCall, simulate } from './simulate.ts';

const GWEI = 1_000_000_000n;
const hex = (value: bigint): string => `0x${value.toString(16)}`;
const call: SimulatedCall = {
  chainId: 31337,
  from: `0x${'11'.repeat(20)}`,
  to: `0x${'22'.repeat(20)}`,
  data: '0x1234',
  valueWei: 5n,
};

/** A node with an account that has one ether; `answers` override the node's own. */
const node = (answers: Record<string, unknown>): ScriptedNode => {
  const one = new ScriptedNode(1, 1);
  const known: Record<string, unknown> = {
    eth_getBalance: hex(10n ** 18n),
    eth_call: '0x',
    eth_getCode: '0x60',
    eth_estimateGas: hex(100_000n),
    eth_getTransactionCount: hex(7n),
    ...answers,
  };
  one.overrule = (method) => {
    if (known[method] instanceof Error) throw known[method];
    return known[method];
  };
  return one;
};

const amountOf = (wei: bigint): string => `${wei} of it`;

describe('what the operator is to sign', () => {
  it('outlasts five full blocks on a chain with a base fee', async () => {
    const block = {
      eth_getBlockByNumber: { number: hex(1n), baseFeePerGas: hex(10n * GWEI) },
      eth_maxPriorityFeePerGas: hex(2n * GWEI),
    };
    const transaction = await simulate(node(block), call, amountOf);
    expect(transaction).toMatchObject({ type: 2, maxFeePerGas: 22n * GWEI, maxPriorityFeePerGas: 2n * GWEI, nonce: 7 });
    expect([transaction.gasLimit, transaction.value, transaction.chainId]).toEqual([120_000n, 5n, 31337n]);
  });

  it('has a tip where the node does not know the method', async () => {
    const unknown = new RpcError(-32601, 'the method does not exist', undefined);
    const block = {
      eth_getBlockByNumber: { number: hex(1n), baseFeePerGas: hex(GWEI) },
      eth_maxPriorityFeePerGas: unknown,
    };
    expect((await simulate(node(block), call, amountOf)).maxPriorityFeePerGas).toBe(GWEI);
  });

  it('pays no tip and no price that cannot be meant, whatever the node says', async () => {
    const greedy = {
      eth_getBlockByNumber: { number: hex(1n), baseFeePerGas: hex(GWEI) },
      eth_maxPriorityFeePerGas: hex(10n ** 15n),
    };
    expect((await simulate(node(greedy), call, amountOf)).maxPriorityFeePerGas).toBe(100n * GWEI);
    const dear = {
      eth_getBlockByNumber: { number: hex(1n), baseFeePerGas: hex(500n * GWEI) },
      eth_maxPriorityFeePerGas: hex(10n ** 15n),
    };
    expect((await simulate(node(dear), call, amountOf)).maxPriorityFeePerGas).toBe(500n * GWEI);
    const absurd = node({ eth_getBlockByNumber: { number: hex(1n) }, eth_gasPrice: hex(10n ** 15n) });
    await expect(simulate(absurd, call, amountOf)).rejects.toMatchObject({ code: 'TRANSACTION_WOULD_FAIL' });
  });

  it('goes to no address without code, where its money would be gone', async () => {
    await expect(simulate(node({ eth_getCode: '0x' }), call, amountOf)).rejects.toMatchObject({
      code: 'TRANSACTION_WOULD_FAIL',
      message: expect.stringContaining('There is no contract at'),
    });
  });

  it('is of the old kind, and of this chain alone, on a chain without a base fee', async () => {
    const block = { eth_getBlockByNumber: { number: hex(1n) }, eth_gasPrice: hex(3n * GWEI) };
    const transaction = await simulate(node(block), call, amountOf);
    expect(transaction).toMatchObject({ type: 0, gasPrice: 3n * GWEI, chainId: 31337n });
  });

  it('is not made where the account cannot pay the fee', async () => {
    const block = {
      eth_getBlockByNumber: { number: hex(1n), baseFeePerGas: hex(GWEI) },
      eth_maxPriorityFeePerGas: hex(0n),
    };
    const poor = node({ ...block, eth_getBalance: hex(120_000n * 2n * GWEI) });
    await expect(simulate(poor, call, amountOf)).rejects.toMatchObject({
      code: 'TRANSACTION_WOULD_FAIL',
      message: expect.stringMatching(
        /you need 240000000000005 of it with the fee, \S+ holds 240000000000000 of it. Add 5 of it\.$/,
      ),
      data: { missingWei: '5' },
    });
  });

  it('keeps what a node says of itself to itself, since it may hold the key of the operator', async () => {
    const refused = node({ eth_call: new RpcError(-32000, 'key abc123 is out of credit', undefined) });
    const error: unknown = await simulate(refused, call, amountOf).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(EngineError);
    expect(error).toMatchObject({ code: 'CHAIN_UNREACHABLE', message: expect.not.stringContaining('abc123') });
  });
});
