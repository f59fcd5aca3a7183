import { Wallet } from 'ethers';
import { requireLayout } from '../../src/core/paymaster-layouts/registry.ts';
import { verifyPaymasterContract } from '../../src/engine/paymaster/contract-reads.ts';
import { type Address, addressKey } from '../../src/shared/schema/hex.ts';

export const CHAIN_ID = 1;
export const SIGNER_KEY = `0x${'51'.repeat(32)}`;
export const SIGNER = addressKey(new Wallet(SIGNER_KEY).address as Address);
export const PAYMASTERS = {
  '1.1.0': `0x${'a1'.repeat(20)}`,
  'verifying-0.7': `0x${'a7'.repeat(20)}`,
  'singleton-0.7': `0x${'a9'.repeat(20)}`,
} as const;

/** What the contracts answer to `getHash` of the sample operation: the hash that Gasdesk computes. */
export const hashes = new Map<string, string>();
for (const [version, paymaster] of Object.entries(PAYMASTERS)) {
  const layout = requireLayout(version);
  for (let modes = 0; modes < 3; modes += 1) {
    const asked: string[] = [];
    const { hash } = await verifyPaymasterContract(
      (_to, data) => {
        asked.push(data);
        return Promise.resolve((hashes.get(data) ?? '0x00') as Address);
      },
      layout,
      { chainId: CHAIN_ID, paymaster, signer: SIGNER },
    );
    const unknown = asked.filter((data) => data.length > 1_000 && !hashes.has(data));
    if (unknown[0] !== undefined) hashes.set(unknown[0], hash.local);
  }
}
