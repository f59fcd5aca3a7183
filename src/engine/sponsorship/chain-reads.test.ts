import { expect, onTestFinished, test } from 'vitest';
import { SENDER, operationWith } from '../../../test/support/facts.ts';
import { findLayout } from '../../core/paymaster-layouts/registry.ts';
import { EngineError } from '../../shared/errors.ts';
import { readMoney } from './chain-reads.ts';

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

const unreachable = async (): Promise<never> => {
  throw new EngineError('CHAIN_UNREACHABLE', 'The RPC cannot be reached');
};

test('A read of the node that fails while the settings cannot be read does not end the process', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const context: Parameters<typeof readMoney>[0] = {
    store: {
      openOperatorTransactions: async () => [],
      async findChain() {
        await turn();
        await turn();
        throw new Error('disk I/O error');
      },
    },
    fees: { believe: unreachable },
    deposits: { ofOthers: async () => 0n, saw: () => undefined },
  };
  const rpc = { url: 'http://127.0.0.1:1', send: unreachable, call: unreachable };
  const layout = findLayout('1.1.0')!;
  const tank = { chainId: 5, layout, entryPoint: SENDER, contract: SENDER, fundingWallet: SENDER };
  await expect(readMoney(context, rpc, tank, { op: operationWith() }, true)).rejects.toThrow('disk I/O error');
  await turn();
  expect(unhandled).toEqual([]);
});
