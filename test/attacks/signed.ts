import type { Run, Ticket } from './run.ts';
import { layoutOf } from './versions.ts';
import type { NameState } from './receiver.ts';
import { deskMs } from './time.ts';
import { blame } from './violation.ts';

/** Of `abi.encode(address, …)` behind the paymaster's address. */
const walletIn = (data: string): string => `0x${data.slice(2 + 40 + 24, 2 + 40 + 64)}`;

/** Names whose receiver no one connects to, so that no one knows whether it is out. */
const UNREACHED: readonly NameState[] = ['metadata', 'silent', 'failing', 'unknown'];

/** A receiver that does not verify denies; only a rule that may fail open passes, and only when the receiver is out. */
const checkWebhook = (run: Run, { number, dapp, inForce }: Ticket): void => {
  const { behaviour: answers = 'true', nameState } = inForce;
  if (UNREACHED.includes(nameState)) {
    blame(run, 'SIGNED_AGAINST_WEBHOOK', `#${number}, its name: ${nameState}`);
    return;
  }
  const behaviour = nameState === 'elsewhere' ? 'down' : answers;
  const detail = `#${number}, the receiver's answer: ${behaviour}`;
  if (behaviour === 'true') return;
  if (behaviour === 'twice') {
    blame(run, 'SIGNED_ON_DOUBLE_VERDICT', detail);
    return;
  }
  const mayFailOpen = behaviour !== 'false' && dapp.policy.webhook?.kind === 'rule that fails open';
  if (!mayFailOpen) blame(run, 'SIGNED_AGAINST_WEBHOOK', detail);
};

const checkWhitelist = (run: Run, { number, dapp: { policy }, wish, sender }: Ticket): void => {
  if (!policy.whitelist) return;
  if (wish.call !== 'mint') blame(run, 'SIGNED_OUTSIDE_WHITELIST', `#${number}: ${wish.call}`);
  if (!policy.deployments && sender.factory !== undefined) {
    blame(run, 'SIGNED_OUTSIDE_WHITELIST', `#${number} deploys an account`);
  }
};

const checkRules = (run: Run, { number, dapp, inForce, data, maxCostWei }: Ticket): void => {
  const name = `#${number}`;
  const { lineFault, paused, wallet } = inForce;
  if (lineFault !== undefined) blame(run, 'SIGNED_WITHOUT_NODE', `${name}, line ${lineFault}`);
  if (paused) blame(run, 'SIGNED_WHILE_PAUSED', name);
  if (layoutOf(dapp.policy.version).hasTanks && walletIn(data) !== wallet) {
    blame(run, 'SIGNED_FOR_ANOTHER_WALLET', `${name}: ${walletIn(data)} in place of ${wallet}`);
  }
  const { operationCostWei } = run.desk;
  if (operationCostWei !== undefined && maxCostWei > operationCostWei) {
    blame(run, 'SIGNED_ABOVE_CAP', `${name}: ${maxCostWei}`);
  }
};

/**
 * Counted are operations that were certainly signed within the breaker's time of real time, whatever clocks say; but a desk
 * that is started again takes it for passed by how far its clock is ahead then.
 */
const checkBreaker = (run: Run, newest: Ticket): void => {
  const { tickets, breakerFrom } = run;
  const { breaker } = run.desk;
  if (breaker === undefined) return;
  const within = tickets.slice(breakerFrom).filter(({ between: [asked], inForce: { leaptMs } }) => {
    const passed = deskMs(newest.between[1] - asked) + newest.inForce.leaptMs - leaptMs;
    return passed < breaker.seconds * 1_000;
  });
  const sum = within.reduce((total, { maxCostWei }) => total + maxCostWei, 0n);
  if (sum <= breaker.amountWei) return;
  const numbers = within.map(({ number }) => `#${number}`).join(', ');
  blame(run, 'SIGNED_ABOVE_BREAKER', `${numbers}: ${sum} of ${breaker.amountWei} in ${breaker.seconds} s`);
};

/** Holds what was just signed against the policy in force. @throws Violation */
export const checkSigned = (run: Run, ticket: Ticket): void => {
  checkRules(run, ticket);
  checkWebhook(run, ticket);
  checkWhitelist(run, ticket);
  checkBreaker(run, ticket);
};
