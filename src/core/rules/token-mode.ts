import type { DenialRows } from '../../shared/denials.ts';
import { type CheckResult, type RuleKind, deny } from './rule.ts';

const denials = {
  TOKEN_MODE_OFF: ({ dapp, paymasterId }) => ({
    message: `The request asks to pay in a token, but the policy of ${String(dapp)} does not let users pay in tokens.`,
    hint: `Ask for sponsorship instead (mode SPONSORED, or no token in the context), or let users pay in tokens: in the DApp's tab Connect in the console, or with "gasdesk dapp token-mode ${String(paymasterId)} on".`,
  }),
} satisfies DenialRows;

/** Denies if the DApp's policy does not allow users to pay in tokens. */
export const checkTokenMode = ({
  name,
  paymasterId,
}: Readonly<{ name: string; paymasterId: string }>): CheckResult<keyof typeof denials> =>
  deny('TOKEN_MODE_OFF', { dapp: name, paymasterId });

/** Whether users may pay in tokens at all. */
export const tokenMode: RuleKind<keyof typeof denials> = {
  type: 'tokenMode',
  title: 'Token mode',
  denials,
  check: ({ payment, policy: { dapp } }) => (payment === undefined || dapp.tokenMode ? [] : [checkTokenMode(dapp)]),
};
