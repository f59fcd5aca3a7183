import type { ProcedureOutput } from '../../api/index.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import type { OperatorTransaction } from '../store/operator-transaction-store.ts';
import type { Draft } from '../transactions/drafts.ts';
import { requireChain } from './chains.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

const draftView = ({ draftId, call, from, transaction }: Draft): ProcedureOutput<'transactions.prepare'> => {
  // Chains without a base fee use a single gas price.
  const maxFeePerGas = transaction.maxFeePerGas ?? transaction.gasPrice ?? 0n;
  return {
    draftId,
    chainId: call.chainId,
    from,
    to: call.to,
    valueWei: String(call.valueWei),
    data: call.data,
    nonce: transaction.nonce,
    gasLimit: String(transaction.gasLimit),
    maxFeePerGasWei: String(maxFeePerGas),
    maxPriorityFeePerGasWei: String(transaction.maxPriorityFeePerGas ?? maxFeePerGas),
    maxFeeWei: String(transaction.gasLimit * maxFeePerGas),
    unsigned: transaction.unsignedSerialized as Hex,
    summary: call.summary,
  };
};

const sentView = (sent: OperatorTransaction): ProcedureOutput<'transactions.send'> => {
  const { version: _version, data: _data, nonce: _nonce, raw: _raw, signer: _signer, final: _final, ...view } = sent;
  return view;
};

export const transactionHandlers = (context: ServiceContext): Handlers<NamesOf<'transactions'>> => {
  const { transactions } = context;
  return {
    'transactions.prepare': async ({ action, from }) => {
      if ('chainId' in action) await requireChain(context, action.chainId);
      return draftView(await transactions.prepare(action, from));
    },
    'transactions.send': async ({ draftId, signed }) => sentView(await transactions.send(draftId, signed)),
    'transactions.handOver': async ({ draftId }) => {
      await transactions.handOvers.handOver(draftId);
      return null;
    },
    'transactions.handBack': async ({ draftId, hash }) =>
      sentView(await transactions.handOvers.handBack(draftId, hash)),
    'transactions.takeBack': async ({ draftId, unclear }) => {
      await transactions.handOvers.takeBack(draftId, unclear);
      return null;
    },
    'transactions.forget': async ({ transactionId }) => sentView(await transactions.forget(transactionId)),
    'transactions.list': async (query) => (await transactions.list(query)).map(sentView),
  };
};
