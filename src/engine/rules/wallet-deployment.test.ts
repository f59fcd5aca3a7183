import { expect, test } from 'vitest';
import { walletDeploymentRule } from './wallet-deployment.ts';

test.each([
  // deploys, an active rule allows it, the DApp restricts something
  [false, false, false, 'skip', 'NO_DEPLOYMENT'],
  [false, false, true, 'skip', 'NO_DEPLOYMENT'],
  [true, false, false, 'pass', 'DEPLOYMENT_UNRESTRICTED'],
  [true, true, true, 'pass', 'DEPLOYMENT_ALLOWED'],
  [true, false, true, 'deny', 'WALLET_DEPLOYMENT_NOT_SPONSORED'],
])('deploys: %s, allowed: %s, restricted: %s → %s', (deploys, allowed, restricted, outcome, code) => {
  expect(walletDeploymentRule.check({ allowed, restricted }, { deploys })).toEqual({ outcome, code, evidence: {} });
});
