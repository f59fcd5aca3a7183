import { EngineError } from '../../shared/errors.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import type { Clock } from '../base/clock.ts';
import { CONFIRM_MS, maybeSent } from '../keys/wallets.ts';
import type { OperatorTransaction } from '../store/operator-transaction-store.ts';

/** Prepared transactions in the hands of wallets that only the operator's browser reaches. */
export interface HandOvers {
  /**
   * Resolves once a draft is the wallet's to send: nobody else gets it, and what a withdrawal takes is held, until it is
   * handed back or the wallet's five minutes are over.
   *
   * @throws EngineError as `transactions.handOver`
   */
  handOver(draftId: string): Promise<void>;
  /** Records what the wallet has sent. @throws EngineError as `transactions.handBack` */
  handBack(draftId: string, hash: Hex): Promise<OperatorTransaction>;
  /**
   * Takes a draft back of which the wallet gave no hash. It may be sent again where the wallet has surely sent nothing.
   *
   * @param unclear the wallet's words, where they leave open whether it was sent
   * @throws EngineError as `transactions.takeBack`
   */
  takeBack(draftId: string, unclear: string | null): Promise<void>;
  /** Waits for no wallet any longer. */
  stop(): void;
}

/** Sends a draft by a wallet that is asked by the function, and answers a hash. */
type SendBy = (draftId: string, wallet: () => Promise<{ hash: Hex }>) => Promise<OperatorTransaction>;

interface HandedOver {
  readonly answer: PromiseWithResolvers<{ hash: Hex }>;
  readonly sent: Promise<OperatorTransaction>;
}

/** Sending as with a wallet that the engine asks, but here the console asks it, and tells what it answered. */
export const createHandOvers = (clock: Clock, send: SendBy): HandOvers => {
  const handedOver = new Map<string, HandedOver>();
  const inTime = (draftId: string): HandedOver => {
    const one = handedOver.get(draftId);
    if (one === undefined) throw maybeSent('Gasdesk waits for a wallet for five minutes, and they are over');
    return one;
  };
  return {
    async handOver(draftId) {
      const asked = Promise.withResolvers<undefined>();
      const answer = Promise.withResolvers<{ hash: Hex }>();
      const sent = send(draftId, () => {
        asked.resolve(undefined);
        return answer.promise;
      });
      sent.catch(asked.reject);
      await asked.promise;
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
