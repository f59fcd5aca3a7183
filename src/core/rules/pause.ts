import { type DenialRows, pastTime } from '../../shared/denials.ts';
import type { PolicyPause } from '../policy/policy.ts';
import { type CheckResult, type RuleKind, deny } from './rule.ts';

const denials = {
  SPONSORSHIP_PAUSED: ({ pausedAt }) => ({
    message: `All sponsorship has been paused since ${pastTime(Number(pausedAt))}; nothing is signed until the operator resumes it.`,
    hint: 'Resume in the top bar of the console, or run "gasdesk resume"; then send the operation again.',
  }),
  DAPP_PAUSED: ({ pausedAt, dapp, paymasterId }) => ({
    message: `Sponsorship for ${String(dapp)} has been paused since ${pastTime(Number(pausedAt))}; nothing is signed for this DApp until the operator resumes it.`,
    hint: `Resume it in the DApp's tab Policy in the console, or run "gasdesk resume --dapp ${String(paymasterId)}"; then send the operation again.`,
  }),
} satisfies DenialRows;

type Result = CheckResult<keyof typeof denials>;

/** Denies while all sponsorship, or sponsorship for the DApp, is paused. */
export const checkPause = ({ since, reason, dapp, paymasterId }: PolicyPause): Result =>
  deny(dapp === undefined ? 'SPONSORSHIP_PAUSED' : 'DAPP_PAUSED', {
    pausedAt: since,
    ...(dapp !== undefined && { dapp }),
    ...(paymasterId !== undefined && { paymasterId }),
    ...(reason !== null && { reason }),
  });

/**
 * While all sponsorship is paused, Gasdesk signs nothing, even if the user pays. While a DApp is paused, Gasdesk signs
 * nothing for that DApp.
 */
export const pause: RuleKind<keyof typeof denials> = {
  type: 'pause',
  title: 'Pause',
  denials,
  check: ({ policy }) => (policy.pause === null ? [] : [checkPause(policy.pause)]),
};
