import { withFacts, withPolicy, withRule, waiting, trusting } from '../../../test/support/advice.ts';
import { row, ruleTable } from '../../../test/support/rule-table.ts';
import {
  FACTORY,
  factoryCalled,
  NOW,
  HOUR_MS,
  items,
  rule,
  makingBy,
  deploying,
} from '../../../test/support/situations.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { PolicyContract, PolicyRule } from '../policy/policy.ts';
import { walletDeployment } from './wallet-deployment.ts';

const STRANGER: Address = `0x${'57'.repeat(20)}`;
const TARGET = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const wallets = (changes: Partial<PolicyRule> = {}): PolicyRule => ({
  ...rule('New wallets', 'WALLET_DEPLOYMENT', { operator: 'walletDeployment' }),
  ...changes,
});

export default ruleTable(walletDeployment, {
  WALLET_DEPLOYMENT_NOT_SPONSORED: {
    rows: [
      row((active: boolean) => deploying([wallets({ active })]), false, true),
      row((contracts: PolicyContract[]) => deploying([], { contracts }), [items()], []),
    ],
    advices: [
      {
        denied: deploying([]),
        says: /Add a (?<type>[A-Z_]+) rule to the DApp/,
        change: ({ type = '' }, world) =>
          withPolicy(world, { rules: [rule('New wallets', type, { operator: 'walletDeployment' })] }),
      },
      {
        denied: deploying([wallets({ active: false })]),
        says: /Resume the rule "(?<name>.+)"/,
        change: ({ name = '' }, world) => withRule(world, name, { active: true }),
      },
      {
        denied: deploying([wallets({ enforcement: 'shadow' })]),
        says: /Enforce the rule "(?<name>.+)" \(enforcement: enforce\)/,
        change: ({ name = '' }, world) =>
          withPolicy(world, { rules: world.policy.rules.map((one) => (one.name === name ? wallets() : one)) }),
      },
      waiting(deploying([wallets({ activeFrom: NOW + HOUR_MS + 1 })])),
      {
        denied: deploying([wallets({ activeUntil: NOW })]),
        says: /Give the rule "(?<name>.+)" a later activeUntil than (?<time>[\d-]+ [\d:]+) UTC/,
        change: ({ name = '', time = '' }, world) =>
          withRule(world, name, { activeUntil: Date.parse(`${time.replace(' ', 'T')}Z`) + HOUR_MS }),
      },
      {
        denied: deploying([wallets({ when: 'has(context.tier)' })]),
        says: /meets the condition of the rule "New wallets": has\(context\.(?<key>\w+)\)/,
        change: ({ key = '' }, world) => withFacts(world, { context: { [key]: 'gold' } }),
      },
    ],
    words: {
      evidence: { paused: true, rule: 'New wallets', because: 'PAUSED' },
      names: ['"New wallets"', 'paused', 'Resume'],
    },
  },
  DEPLOYMENT_UNREADABLE: {
    rows: [
      row(makingBy, factoryCalled('0xdeadbeef'), FACTORY),
      row(makingBy, FACTORY.slice(0, 42) as Hex, FACTORY),
      row(
        (trusted: Address[]) => makingBy(factoryCalled('0xdeadbeef'), trusted),
        [STRANGER],
        [FACTORY.slice(0, 42).toUpperCase().replace('X', 'x') as Address],
      ),
    ],
    advices: [trusting(makingBy(factoryCalled('0xdeadbeef')))],
    words: {
      evidence: { factory: TARGET, detail: 'Its function 0xdeadbeef is not known.' },
      names: [TARGET, '0xdeadbeef', 'factories of the WALLET_DEPLOYMENT rule'],
    },
  },
});
