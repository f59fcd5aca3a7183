import { EngineError } from '../../shared/errors.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import type { Clock } from '../base/clock.ts';
import { CONFIRM_MS, maybeSent } from '../keys/wallets.ts';
import type { OperatorTransaction } from '../store/operator-transaction-store.ts';

/** What a wallet in the operator's browser made of a transaction, as the console tells it. */
export type HandedBack =
  | { readonly hash: Hex }
  | { readonly refused: true }
  /** The wallet's words, which do not say whether it was sent. */
  | { readonly unclear: string };

/** Prepared transactions in the hands of wallets that only the operator's browser reaches. */
export interface HandOvers {
  /**
   * Resolves once a draft is the wallet's to send: nobody else gets it, and what a withdrawal takes is held, until it is
   * handed back or the wallet's five minutes are over.
   *
   * @throws EngineError as `transactions.handOver`
   */
  handOver(draftId: string): Promise<void>;
  /** Records what was sent; null where the wallet refused, and the draft may be sent again. @throws EngineError as `transactions.handBack` */
  handBack(draftId: string, outcome: HandedBack): Promise<OperatorTransaction | null>;
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
    async handBack(draftId, outcome) {
      const { answer, sent } = handedOver.get(draftId) ?? {};
      if (answer === undefined || sent === undefined) {
        throw 'refused' in outcome
          ? new EngineError('DRAFT_NOT_FOUND')
          : maybeSent('Gasdesk no longer waits for this wallet');
      }
      if ('hash' in outcome) answer.resolve(outcome);
      else if ('unclear' in outcome) answer.reject(maybeSent(`The wallet answered: ${outcome.unclear}`));
      else answer.reject(new EngineError('SIGNING_REFUSED'));
      try {
        return await sent;
      } catch (error) {
        if ('refused' in outcome && error instanceof EngineError && error.code === 'SIGNING_REFUSED') return null;
        throw error;
      }
    },
    stop() {
      for (const { answer } of handedOver.values()) answer.reject(maybeSent('The engine stopped meanwhile'));
    },
  };
};
