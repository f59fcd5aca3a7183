import type { Address } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { RpcClient } from '../chain/rpc.ts';
import type { SponsorshipTerms } from '../paymaster/layout.ts';
import type { ReadyPaymaster } from '../paymaster/readiness.ts';
import { AMPLE_CALL_GAS } from '../token-mode/try-payment.ts';
import { authorizationStep, checkAuthorization } from './authorization.ts';
import { readDelegate, readNonce } from './chain-reads.ts';
import type { DecisionContext } from './decision-context.ts';
import type { Progress } from './decision-draft.ts';
import { type GasQuestion, gasStep, withGas, withSentGas } from './operation-gas.ts';
import { pauseSteps } from './pause-switch.ts';
import { findPayer } from './payer.ts';
import { sponsor, termsAt } from './sponsor.ts';
import type { Step } from './steps.ts';
import { type TokenTaking, tryTaking } from './token-taking.ts';

/** An operation with final gas, and who would pay for it: what the rules are asked about. */
interface PreparedOperation {
  readonly op: UserOperation;
  /** Who signs: in token mode on the terms of the sale. */
  readonly ready: ReadyPaymaster;
  readonly rpc: RpcClient | undefined;
  /** What the user pays with in token mode; undefined where it is sponsored. */
  readonly taking: TokenTaking | undefined;
  /** The contract whose code an EIP-7702 account takes on. */
  readonly delegate: Address | undefined;
  /** False: the gas is as it was sent. */
  readonly isEstimated: boolean;
  /** Steps that deny nothing: how the gas came about, and whose authorisation it is. */
  readonly notes: readonly Step[];
  /** The denial while sponsorship is paused. */
  readonly pauseNow: () => Step[];
  /** What would be promised at this moment. */
  readonly termsNow: () => SponsorshipTerms;
}

/**
 * Finds the operation's payer and its gas. Gas is estimated over a signed draft, so not while nothing is signed; what
 * was not estimated is not signed either, though the pause may have ended meanwhile.
 *
 * @throws EngineError as `decide`
 */
export const prepareOperation = async (context: DecisionContext, { request }: Progress): Promise<PreparedOperation> => {
  const { chains, clock, pause } = context;
  const { userOperation, options } = request;
  const { ready: payer, sale, rpc } = await findPayer(context, request);
  await checkAuthorization(rpc, payer, userOperation, 'final');
  const senderNonce = await readNonce(rpc, payer, userOperation.sender);
  const delegate = await readDelegate(rpc, payer, userOperation);
  const termsNow = (): SponsorshipTerms =>
    termsAt(clock.now(), options.expiryDuration, payer, { senderNonce, delegate });

  const paused = pause.current();
  const draftSponsor: GasQuestion['sponsor'] = (draft) => sponsor(sale?.estimating ?? payer, draft, termsNow());
  const question: GasQuestion = { request, ready: payer, chains, rpc, sponsor: draftSponsor };
  const found = paused === null ? await withGas(question) : withSentGas(question);
  const estimated = found.code === 'GAS_ESTIMATED';
  const origin =
    paused === null ? { estimated, open: estimated } : { estimated, open: true, callGasLimit: AMPLE_CALL_GAS };
  const taking = sale && (await tryTaking(rpc, sale, found.op, origin));
  const op = taking?.op ?? found.op;
  const step = gasStep(found.code, op);
  const authorization = authorizationStep(userOperation);
  return {
    op,
    ready: taking?.sale.ready ?? payer,
    ...{ rpc, taking, delegate, termsNow },
    isEstimated: estimated,
    notes: authorization === undefined ? [step] : [step, authorization],
    pauseNow: () => pauseSteps(clock, paused ?? pause.current()),
  };
};
