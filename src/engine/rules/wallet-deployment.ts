import { type Rule, deny, pass, skip } from './rule.ts';

/** What a DApp has set up about deployments. */
export interface DeploymentPolicy {
  /** An active WALLET_DEPLOYMENT rule. */
  readonly allowed: boolean;
  /** A WALLET_DEPLOYMENT rule that is paused. */
  readonly paused: boolean;
  /** Contracts are registered: the DApp says what it sponsors. */
  readonly restricted: boolean;
}

/**
 * An operation that deploys its account passes if an active WALLET_DEPLOYMENT rule says so, or if the DApp restricts
 * nothing: it has neither registered contracts nor any such rule (SPEC 5.3).
 */
export const walletDeploymentRule: Rule<DeploymentPolicy, { deploys: boolean }> = {
  type: 'walletDeployment',
  check({ allowed, paused, restricted }, { deploys }) {
    if (!deploys) return skip('NO_DEPLOYMENT');
    if (allowed) return pass('DEPLOYMENT_ALLOWED');
    return restricted || paused ? deny('WALLET_DEPLOYMENT_NOT_SPONSORED', { paused }) : pass('DEPLOYMENT_UNRESTRICTED');
  },
};
