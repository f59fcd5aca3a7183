import type { RuleKind } from './rule.ts';
import { pass } from './rule.ts';

const LIMITS = [
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
  'paymasterVerificationGasLimit',
  'paymasterPostOpGasLimit',
] as const;

/** Shows the operation's final gas values and where they come from. Never denies. */
export const gas: RuleKind<never> = {
  type: 'gas',
  title: 'Gas',
  denials: {},
  bindsDrafts: false,
  check({ facts, op }) {
    const limits: Partial<Record<(typeof LIMITS)[number], bigint>> = op;
    const evidence: Record<string, string> = {};
    for (const field of LIMITS) if (limits[field] !== undefined) evidence[field] = String(limits[field]);
    evidence['maxFeePerGasWei'] = String(op.maxFeePerGas);
    return [pass(facts.gasSource, evidence)];
  },
};
