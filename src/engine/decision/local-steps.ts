import { type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import { type Decoding, decodeCalls } from '../calls/decode-calls.ts';
import type { Clock } from '../clock.ts';
import type { ReadyPaymaster } from '../paymaster/readiness.ts';
import { contractsRule } from '../rules/contracts.ts';
import { type DeploymentPolicy, walletDeploymentRule } from '../rules/wallet-deployment.ts';
import type { DappPolicy } from '../store/store.ts';
import { isEip7702 } from '../user-operation/user-op-hash.ts';
import { type Step, ruleStep } from './steps.ts';
import { whitelistOf } from './whitelist.ts';

/** The rules that need nothing but the operation and the policy. */
export const localSteps = (clock: Clock, policy: DappPolicy, op: UserOperation, decoding: Decoding): Step[] => [
  ruleStep(clock, contractsRule.type, () => contractsRule.check(whitelistOf(policy), { sender: op.sender, decoding })),
  ruleStep(clock, walletDeploymentRule.type, () =>
    walletDeploymentRule.check(deploymentPolicy(policy), { deploys: deploysWallet(op) }),
  ),
];

/** The calls an operation makes, as its EntryPoint has its account read them. */
export const decodeOperation = ({ sender, callData }: UserOperation, { layout }: ReadyPaymaster): Decoding =>
  decodeCalls(callData, { sender, entryPointVersion: layout.entryPointVersion });

/**
 * True if the operation makes or initialises its account: it names a factory, or initialises an EIP-7702 account. An
 * account that only takes on a contract's code (the EIP-7702 marker without data) is there already.
 */
const deploysWallet = (op: UserOperation): boolean => {
  if (isV06(op)) return op.initCode !== '0x';
  const { factory, factoryData = '0x' } = op;
  return factory !== undefined && (!isEip7702(factory) || factoryData !== '0x');
};

const deploymentPolicy = ({ rules, contracts }: DappPolicy): DeploymentPolicy => {
  const deployment = rules.filter((rule) => rule.policyType === 'WALLET_DEPLOYMENT');
  return {
    allowed: deployment.some((rule) => rule.active),
    paused: deployment.some((rule) => !rule.active),
    restricted: contracts.length > 0,
  };
};

/** Whoever pays for himself is not bound by the rules of sponsorship (SPEC 6). */
export const unbound = ({ revision }: DappPolicy): DappPolicy => ({ revision, contracts: [], rules: [], webhooks: [] });
