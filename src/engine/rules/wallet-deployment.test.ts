import { expect, test } from 'vitest';
import { walletDeploymentRule } from './wallet-deployment.ts';

test.each([
  // deploys, an active rule allows it, a rule is paused, the DApp restricts its contracts
  [false, false, false, false, 'skip', 'NO_DEPLOYMENT'],
  [false, false, true, true, 'skip', 'NO_DEPLOYMENT'],
  [true, false, false, false, 'pass', 'DEPLOYMENT_UNRESTRICTED'],
  [true, true, true, true, 'pass', 'DEPLOYMENT_ALLOWED'],
  [true, false, true, false, 'deny', 'WALLET_DEPLOYMENT_NOT_SPONSORED'],
  [true, false, true, true, 'deny', 'WALLET_DEPLOYMENT_NOT_SPONSORED'],
  [true, false, false, true, 'deny', 'WALLET_DEPLOYMENT_NOT_SPONSORED'],
])(
  'deploys: %s, allowed: %s, paused: %s, restricted: %s → %s',
  (deploys, allowed, paused, restricted, outcome, code) => {
    expect(walletDeploymentRule.check({ allowed, paused, restricted }, { deploys })).toEqual({
      outcome,
      code,
      evidence: outcome === 'deny' ? { paused } : {},
    });
  },
);
