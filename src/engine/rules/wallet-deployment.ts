import { type Rule, deny, pass, skip } from './rule.ts';

/** What a DApp has set up about deployments. */
export interface DeploymentPolicy {
  /** An active WALLET_DEPLOYMENT rule. */
  readonly allowed: boolean;
  /** Contracts are registered, or WALLET_DEPLOYMENT rules exist: the DApp says what it sponsors. */
  readonly restricted: boolean;
}

/**
 * An operation that deploys its account passes if an active WALLET_DEPLOYMENT rule says so, or if the DApp restricts
 * nothing: it has neither registered contracts nor any such rule (SPEC 5.3).
 */
export const walletDeploymentRule: Rule<DeploymentPolicy, { deploys: boolean }> = {
  type: 'walletDeployment',
  check({ allowed, restricted }, { deploys }) {
    if (!deploys) return skip('NO_DEPLOYMENT');
    if (allowed) return pass('DEPLOYMENT_ALLOWED');
    return restricted ? deny('WALLET_DEPLOYMENT_NOT_SPONSORED') : pass('DEPLOYMENT_UNRESTRICTED');
  },
};
