import { EngineError } from '../../shared/errors.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import type { Clock } from '../base/clock.ts';
import { CONFIRM_MS, maybeSent } from '../keys/wallets.ts';
import type { OperatorTransaction } from '../store/operator-transaction-store.ts';

/** Prepared transactions for wallets that only the operator's browser can reach. */
export interface HandOvers {
  /**
   * Resolves once the draft is reserved for the wallet and, for a withdrawal, its amount is held. Both last until the
   * draft is handed back, or for five minutes.
   *
   * @throws EngineError like `transactions.handOver`
   */
  handOver(draftId: string): Promise<void>;
  /** Records what the wallet has sent. @throws EngineError like `transactions.handBack` */
  handBack(draftId: string, hash: Hex): Promise<OperatorTransaction>;
  /**
   * Takes a draft back if the wallet returned no hash. If it is certain that the wallet sent nothing, the draft can be
   * sent again.
   *
   * @param unclear the wallet's message, if it does not say whether the transaction was sent
   * @throws EngineError like `transactions.takeBack`
   */
  takeBack(draftId: string, unclear: string | null): Promise<void>;
  stop(): void;
}

/** Sends a draft with a wallet. `wallet` calls it and returns the hash. */
type SendBy = (draftId: string, wallet: () => Promise<{ hash: Hex }>) => Promise<OperatorTransaction>;

interface HandedOver {
  readonly answer: PromiseWithResolvers<{ hash: Hex }>;
  readonly sent: Promise<OperatorTransaction>;
}

/**
 * Works like sending with a wallet that the engine calls, except that the console calls the wallet and reports the
 * result.
 */
export const createHandOvers = (clock: Clock, send: SendBy): HandOvers => {
  const handedOver = new Map<string, HandedOver>();
  const inTime = (draftId: string): HandedOver => {
    const one = handedOver.get(draftId);
    if (one === undefined) throw maybeSent('Gasdesk waits for a wallet for five minutes, and they are over');
    return one;
  };
  return {
    async handOver(draftId) {
      const requested = Promise.withResolvers<undefined>();
      const answer = Promise.withResolvers<{ hash: Hex }>();
      const sent = send(draftId, () => {
        requested.resolve(undefined);
        return answer.promise;
      });
      sent.catch(requested.reject);
      await requested.promise;
      handedOver.set(draftId, { answer, sent });
      const late = maybeSent('The wallet in the browser did not answer within five minutes');
      const cancel = clock.setTimer(CONFIRM_MS, () => answer.reject(late));
      const forget = (): void => {
        cancel();
        handedOver.delete(draftId);
      };
      sent.then(forget, forget);
    },
    async handBack(draftId, hash) {
      const { answer, sent } = inTime(draftId);
      answer.resolve({ hash });
      return sent;
    },
    async takeBack(draftId, unclear) {
      const { answer, sent } = inTime(draftId);
      const refused = new EngineError('SIGNING_REFUSED');
      answer.reject(unclear === null ? refused : maybeSent(`The wallet answered: ${unclear}`));
      await sent.catch((error: unknown) => {
        if (error !== refused) throw error;
      });
    },
    stop() {
      for (const { answer } of handedOver.values()) answer.reject(maybeSent('The engine stopped meanwhile'));
    },
  };
};
