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
    const known = LIMITS.filter((field) => limits[field] !== undefined);
    const evidence = Object.fromEntries(known.map((field) => [field, String(limits[field])]));
    return [pass(facts.gasSource, { ...evidence, maxFeePerGasWei: String(op.maxFeePerGas) })];
  },
};
