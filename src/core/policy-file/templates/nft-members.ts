import { currency, lifetimeLimit } from './limit-rules.ts';
import type { Template } from './template.ts';

/** Sponsors only accounts that hold an NFT of a collection. */
export const nftMembers: Template<'collection' | 'minimum' | 'currency' | 'budget'> = {
  name: 'nft-members',
  title: 'Members of an NFT',
  purpose: 'Only accounts that hold an NFT of a collection (ERC-721) are sponsored, within a budget if you set one.',
  fields: {
    collection: { label: 'Contract of the NFT', kind: 'address', default: '' },
    minimum: { label: 'At least', kind: 'count', default: '1', unit: 'NFTs' },
    currency,
    budget: { label: 'Total budget', kind: 'amount', default: '', optional: true },
  },
  make: ({ collection, minimum, currency: unit, budget }) => ({
    rules: [
      { name: 'Members: NFT', type: 'TOKEN_HOLDING', data: { standard: 'ERC721', address: collection, minimum } },
      ...(budget === '' ? [] : [{ name: 'Members: budget', ...lifetimeLimit('PAYMASTER', unit, budget) }]),
    ],
  }),
  leaves: ({ budget }) => [
    'NFTs can be bought, lent and passed on: one NFT can make many accounts members, one after the other.',
    budget === ''
      ? 'Without a budget a member can spend until the gas tank is empty.'
      : 'Of the budget, one member can use all.',
    'While the node is unreachable, Gasdesk denies members, too.',
  ],
};
