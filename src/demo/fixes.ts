import type { Service } from '../engine/service/index.ts';
import type { DecisionRecord } from '../shared/schema/decision.ts';
import { type Address, address } from '../shared/schema/hex.ts';
import type { SwitchName } from './playground-scene.ts';

/** What the operator of the playground does about a denial. */
export interface Fixes {
  /** The text of the button; undefined if no change of the operator's makes the operation pass. */
  verbOf(decision: DecisionRecord): string | undefined;
  /** Does nothing for a decision without a fix. */
  apply(decision: DecisionRecord): Promise<void>;
}

interface Fix {
  readonly verb: string;
  readonly act: () => Promise<unknown>;
}

interface Hands {
  readonly service: Pick<Service, 'call'>;
  readonly paymasterId: string;
  readonly flip: (name: SwitchName, on: boolean) => Promise<void>;
  readonly giveTokens: (to: Address) => Promise<void>;
}

/** The rules that a switch of the playground has deny, with what turns it off again. */
const SWITCHES: Readonly<Record<string, { readonly name: SwitchName; readonly verb: string }>> = {
  pause: { name: 'pause', verb: 'Resume sponsorship' },
  walletDeployment: { name: 'newAccounts', verb: 'Pay for new accounts' },
  gasTank: { name: 'tank', verb: 'Top up the gas tank' },
  unreachable: { name: 'node', verb: 'Connect the node' },
  webhook: { name: 'webhook', verb: 'Have the webhook verify it' },
  burnRate: { name: 'breaker', verb: 'Lift the burn-rate breaker' },
};

type Evidence = DecisionRecord['trace'][number]['evidence'];

export const createFixes = ({ service, paymasterId, flip, giveTokens }: Hands): Fixes => {
  const addMethod = async ({ target, method }: Evidence): Promise<void> => {
    const contracts = await service.call('contracts.list', { paymasterId });
    const whitelisted = contracts.find((contract) => contract.address === target)?.whitelistedMethods ?? [];
    const whitelistedMethods = [...whitelisted, String(method)];
    await service.call('contracts.update', { paymasterId, address: address.parse(target), whitelistedMethods });
  };
  const raiseLimit = async ({ name }: Evidence, threshold: string): Promise<void> => {
    const rules = await service.call('rules.list', { paymasterId });
    const ruleId = rules.find((rule) => rule.name === name)?._id;
    await service.call('rules.updateLimit', { paymasterId, ruleId, update: { threshold } });
  };
  const fixOf = ({ code, rule, sender, trace }: DecisionRecord): Fix | undefined => {
    const evidence = trace.find(({ outcome }) => outcome === 'deny')?.evidence ?? {};
    if (code === 'METHOD_NOT_WHITELISTED') {
      const verb = `Add ${String(evidence['method'])} to ${String(evidence['contract'])}`;
      return { verb, act: () => addMethod(evidence) };
    }
    if (code === 'LIMIT_REACHED') {
      const threshold = String(BigInt(String(evidence['threshold'])) + 1n);
      const verb = `Raise "${String(evidence['name'])}" to ${threshold}`;
      return { verb, act: () => raiseLimit(evidence, threshold) };
    }
    if (code === 'TOKEN_BALANCE_SHORT')
      return { verb: 'Give the user 10 USDT', act: () => giveTokens(address.parse(sender)) };
    const flipped = SWITCHES[rule ?? ''];
    return flipped && { verb: flipped.verb, act: () => flip(flipped.name, false) };
  };
  return {
    verbOf: (decision) => fixOf(decision)?.verb,
    async apply(decision) {
      await fixOf(decision)?.act();
    },
  };
};
