import { Wallet } from 'ethers';
import { voucherDigest } from '../core/identity/voucher.ts';
import type { Engine } from '../engine/index.ts';
import type { Address } from '../shared/schema/hex.ts';
import { PEOPLE, type SentVoucher } from './playground-scene.ts';

/** The part of the DApp's backend that knows who is signed in. */
export interface VoucherOffice {
  /** Vouches that the account belongs to the person. @param now epoch ms */
  sign(subject: string, sender: Address, now: number): SentVoucher;
}

const VALID_SECONDS = 3_600;
const IS_MARKED = `has(context.policyId) && context.policyId == "${PEOPLE}"`;

/** Opens the office of a DApp, and adds its rules: two operations a day for each person, if the DApp marks them. */
export const openVoucherOffice = async (
  { service }: Pick<Engine, 'service'>,
  { chainId, paymasterId }: { readonly chainId: number; readonly paymasterId: string },
): Promise<VoucherOffice> => {
  const { address, signingKey } = new Wallet(Wallet.createRandom().privateKey);
  const add = (name: string, policyType: string, policyData: object): Promise<unknown> =>
    service.call('rules.create', { paymasterId, rule: { name, policyType, policyData, when: IS_MARKED } });
  await add('People', 'IDENTITY', { source: 'VOUCHER', signer: address });
  await add('Two a day for each person', 'PAYMASTER_SA_LIMIT', {
    type: 'SUBJECT',
    cycleDuration: { value: 1, unit: 'day' },
    threshold: 2,
    thresholdType: 'COUNT',
  });
  return {
    sign(subject, sender, now) {
      const expiresAt = Math.floor(now / 1000) + VALID_SECONDS;
      const digest = voucherDigest({ chainId, paymasterId }, { sender, subject, expiresAt: BigInt(expiresAt) });
      return { subject, expiresAt, signature: signingKey.sign(digest).serialized };
    },
  };
};
