import { onUnmounted, ref } from 'vue';
import { EngineError } from '../../../../shared/errors.ts';
import { type Address, sameAddress } from '../../../../shared/schema/hex.ts';
import { useTransport } from '../../transport/transport.ts';
import { useTimer } from '../../timer.ts';
import type { ChainAction, Transaction } from '../gas-tank/chain-action.ts';
import { sendDraft } from '../gas-tank/send-draft.ts';
import type { SignedBy, ToSign } from '../signing/signed-by.ts';
import type { Setup } from './use-setup.ts';

const WAIT_MS = 1_000;

/** Sends the setup's transactions with the paying key, one after the other. */
export const usePayer = (setup: Setup) => {
  const transport = useTransport();
  const timer = useTimer();
  let isUnmounted = false;
  onUnmounted(() => (isUnmounted = true));

  /** What another wallet must sign now. */
  const toSign = ref<ToSign>();
  let settle: { resolve: (by: SignedBy) => void; reject: (error: unknown) => void } | undefined;
  const sign = (what: ToSign): Promise<SignedBy> => {
    const { payer, password } = setup;
    if (payer?.kind === 'keystore' && payer.address !== undefined) {
      return Promise.resolve({ key: { kind: 'keystore', address: payer.address, password } });
    }
    toSign.value = what;
    return new Promise<SignedBy>((resolve, reject) => (settle = { resolve, reject })).finally(() => {
      toSign.value = undefined;
      settle = undefined;
    });
  };
  const signed = (by: SignedBy): void => settle?.resolve(by);
  /** Discards what was prepared if the operator chooses another account in the wallet. */
  const choose = (address: Address | undefined): void => {
    const before = setup.payer?.address;
    if (address === undefined || (before !== undefined && sameAddress(address, before))) return;
    setup.chosen = { kind: 'other', address };
    settle?.reject(new EngineError('SIGNING_REFUSED', 'Another account was chosen. Press the button again.'));
  };

  /** Waits until a transaction is mined and its effects have been applied. */
  const mined = async ({ transactionId, chainId }: Transaction): Promise<void> => {
    for (;;) {
      const all = await transport.call('transactions.list', { chainId });
      const found = all.find((one) => one.transactionId === transactionId);
      if (found !== undefined && found.state !== 'sent' && found.outcome !== null) {
        if (found.state === 'mined') return;
        throw new EngineError('TRANSACTION_WOULD_FAIL', found.outcome);
      }
      await new Promise<void>((resolve) => timer.after(WAIT_MS, resolve));
      if (isUnmounted) throw new EngineError('SIGNING_REFUSED', 'The page was left.');
    }
  };

  /**
   * Sends a transaction, and waits until it is mined. If one of the same kind is pending, waits for that one instead of
   * sending another.
   *
   * @param mostWei the fee that was shown; no transaction that could cost more is signed
   */
  const transact = async (action: ChainAction, mostWei: string): Promise<void> => {
    const from = setup.payer?.address;
    if (from === undefined) throw new EngineError('SIGNING_REFUSED', 'No wallet is chosen. Choose one in step 4.');
    const paymasterId = 'paymasterId' in action ? action.paymasterId : null;
    const waiting = setup.transactions?.find(
      (one) => one.state === 'sent' && one.kind === action.kind && one.paymasterId === paymasterId,
    );
    if (waiting !== undefined && action.kind !== 'handleOps') return mined(waiting);
    const draft = await transport.call('transactions.prepare', { action, from });
    if (BigInt(draft.maxFeeWei) > BigInt(mostWei)) {
      await setup.reload();
      const words = 'Fees have risen above what was shown. Check the new amounts, and press the button again.';
      throw new EngineError('TRANSACTION_WOULD_FAIL', words);
    }
    const by = await sign({ purpose: 'transaction', unsigned: draft.unsigned });
    const sent = await sendDraft(transport, draft, by);
    await setup.reload();
    await mined(sent);
    await setup.reload();
  };

  /** Proves, with a signed message, that the wallet is the DApp's funding wallet. */
  const verify = async (paymasterId: string): Promise<void> => {
    const { fundingMessage } = await transport.call('paymasters.fundingMessage', { paymasterId });
    const by = await sign({ purpose: 'message', message: fundingMessage });
    if ('signedTransaction' in by || 'wallet' in by) throw new EngineError('INVALID_SIGNATURE');
    const { signature, address } = await ('key' in by
      ? transport.call('funding.sign', { paymasterId, key: by.key })
      : transport.call('funding.recover', { paymasterId, signature: by.signature }));
    await transport.call('paymasters.setFundingWallet', {
      paymasterId,
      type: 'paymasterFundingId',
      signature,
      address,
    });
    await setup.reload();
  };

  return { toSign, signed, choose, transact, verify };
};
