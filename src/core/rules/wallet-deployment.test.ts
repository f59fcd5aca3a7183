import { expect, test } from 'vitest';
import type { Decoding } from '../calls/decoding.ts';
import { checkWalletDeployment } from './wallet-deployment.ts';

const FACTORY = `0x${'fa'.repeat(20)}` as const;
const made = (decoding: Decoding) => ({ factory: FACTORY, factoryData: '0x' as const, decoding });
const READ = made({ outcome: 'decoded', calls: [], via: [] });
const UNREAD = made({ outcome: 'undecodable', code: 'UNKNOWN_SELECTOR', detail: 'Its function 0x12 is not known.' });

test.each([
  // deploys, an active rule allows it, a rule is paused, the DApp has registered contracts
  [undefined, false, false, false, 'skip', 'NO_DEPLOYMENT'],
  [undefined, false, true, true, 'skip', 'NO_DEPLOYMENT'],
  [READ, false, false, false, 'pass', 'DEPLOYMENT_UNRESTRICTED'],
  [READ, true, true, true, 'pass', 'DEPLOYMENT_ALLOWED'],
  [READ, false, true, false, 'deny', 'WALLET_DEPLOYMENT_NOT_SPONSORED'],
  [READ, false, true, true, 'deny', 'WALLET_DEPLOYMENT_NOT_SPONSORED'],
  [READ, false, false, true, 'deny', 'WALLET_DEPLOYMENT_NOT_SPONSORED'],
  // The deployment's other effects matter only to a DApp with registered contracts.
  [UNREAD, false, false, false, 'pass', 'DEPLOYMENT_UNRESTRICTED'],
  [UNREAD, true, false, false, 'pass', 'DEPLOYMENT_ALLOWED'],
  [UNREAD, true, false, true, 'deny', 'DEPLOYMENT_UNREADABLE'],
  [UNREAD, false, false, true, 'deny', 'WALLET_DEPLOYMENT_NOT_SPONSORED'],
])('%j, allowed: %s, paused: %s, restricted: %s → %s', (deployment, allowed, paused, restricted, outcome, code) => {
  const evidence: Record<string, object> = {
    WALLET_DEPLOYMENT_NOT_SPONSORED: { paused },
    DEPLOYMENT_UNREADABLE: { factory: FACTORY, detail: 'Its function 0x12 is not known.' },
  };
  expect(checkWalletDeployment({ allowed, paused, restricted, hindrance: undefined }, deployment)).toEqual({
    outcome,
    code,
    evidence: evidence[code] ?? {},
  });
});
