import { z } from 'zod';
import { address, hash, hex } from '../shared/schema/hex.ts';
import { wei, weiText } from '../shared/schema/quantity.ts';
import { chainId, id } from '../shared/schema/text.ts';
import { userOperationV06 } from '../shared/schema/user-operation-v06.ts';
import { signingKey } from './keys.ts';
import { procedure } from './procedure.ts';

const contractTarget = { chainId, version: z.string() };

const chainAction = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('deposit'), paymasterId: id, amountWei: wei }),
  z.strictObject({ kind: z.literal('withdraw'), paymasterId: id, amountWei: wei, to: address }),
  z.strictObject({ kind: z.literal('deploy'), ...contractTarget }),
  // Makes the contract accept the chain's prepared signing key, or its current one if none is prepared.
  z.strictObject({ kind: z.literal('acceptSigner'), ...contractTarget }),
  // Only for contracts with several signers: removes a key that is no longer used.
  z.strictObject({ kind: z.literal('removeSigner'), ...contractTarget, signer: address }),
  // Bundlers trust a paymaster with a stake more (ERC-7562). Adds to the stake, and sets its delay, which never shrinks.
  z.strictObject({
    kind: z.literal('addStake'),
    ...contractTarget,
    amountWei: wei,
    unstakeDelaySec: z.number().int().positive().max(0xff_ff_ff_ff).optional(),
  }),
  // Starts the delay, during which the contract counts as not staked.
  z.strictObject({ kind: z.literal('unlockStake'), ...contractTarget }),
  // After the delay: pays out the whole stake.
  z.strictObject({ kind: z.literal('withdrawStake'), ...contractTarget, to: address }),
  // A new development chain lacks contracts that every public chain has. This deploys one of them at its canonical
  // address.
  z.strictObject({ kind: z.literal('deployCanonical'), chainId, contract: z.enum(['entryPoint', 'accountFactory']) }),
  // Sends a bundle of one operation. The EntryPoint refunds its cost to the transaction's sender.
  z.strictObject({ kind: z.literal('handleOps'), paymasterId: id, userOperation: userOperationV06 }),
]);

/** A simulated transaction. On a chain without a base fee, both fees per gas are equal. */
const draft = z.strictObject({
  draftId: z.string(),
  chainId: z.number(),
  from: address,
  to: address.nullable().describe('Null: it makes a contract'),
  valueWei: weiText,
  data: hex,
  nonce: z.number(),
  gasLimit: z.string(),
  maxFeePerGasWei: weiText,
  maxPriorityFeePerGasWei: weiText,
  maxFeeWei: weiText.describe('Maximum cost of the transaction itself, without its value'),
  unsigned: hex.describe(
    'The unsigned transaction that a device signs: EIP-2718 type 2, or EIP-155 on chains without a base fee',
  ),
  summary: z.string().describe('Description of its effect'),
});

const transaction = z.strictObject({
  transactionId: z.string(),
  kind: z.enum([
    'deposit',
    'withdraw',
    'deploy',
    'acceptSigner',
    'removeSigner',
    'addStake',
    'unlockStake',
    'withdrawStake',
    'deployCanonical',
    'handleOps',
  ]),
  chainId: z.number(),
  paymasterId: z.string().nullable(),
  from: address,
  to: address.nullable(),
  valueWei: weiText,
  summary: z.string(),
  hash,
  state: z
    .enum(['sent', 'mined', 'reverted', 'replaced', 'different', 'forgotten'])
    .describe(
      'replaced: another transaction used its nonce; different: mined, but the wallet sent a transaction other than the draft; forgotten: the operator stopped waiting for it',
    ),
  sentAt: z.number().describe('epoch ms'),
  blockNumber: z.number().nullable(),
  gasUsed: z.string().nullable(),
  feeWei: weiText.nullable().describe('The cost of the transaction itself, without its value'),
  contract: address.nullable().describe('The contract that it created'),
  outcome: z.string().nullable().describe('Description of the result; null until all its effects are applied'),
});

export type TransactionView = z.output<typeof transaction>;

export type ChainAction = z.output<typeof chainAction>;

/**
 * A signature by a key in the engine's process, or one made elsewhere, given as the signed transaction or as the
 * signature alone.
 */
const signed = z.union([
  z.strictObject({ key: signingKey }),
  z.strictObject({ signedTransaction: hex }),
  z.strictObject({ signature: hex.describe('65 bytes: r, s, v') }),
]);

export type SignedDraft = z.output<typeof signed>;

const query = z.strictObject({ chainId: chainId.optional(), paymasterId: id.optional() });

/** Absent fields match everything. */
export type TransactionQuery = z.output<typeof query>;

/** Procedures for the operator's actions on chains, which the keys of funding wallets and contract owners sign. */
export const transactionProcedures = {
  'transactions.prepare': procedure({
    summary: 'Prepare and simulate a transaction. The draft is kept for ten minutes',
    input: z.strictObject({ action: chainAction, from: address }),
    output: draft,
    errors: [
      'PAYMASTER_NOT_FOUND',
      'PAYMASTER_NOT_READY',
      'VERSION_NOT_SUPPORTED',
      'NOT_DEPLOYABLE',
      'RPC_MISSING',
      'SIGNER_MISSING',
      'CHAIN_NOT_SUPPORTED',
      'CHAIN_UNREACHABLE',
      'TRANSACTION_WOULD_FAIL',
      'VAULT_LOCKED',
    ],
  }),
  'transactions.send': procedure({
    summary:
      'Sign a prepared transaction, or accept its signature, and send it to the chain. Each draft can be sent once',
    input: z.strictObject({ draftId: id, signed }),
    output: transaction,
    errors: [
      'DRAFT_NOT_FOUND',
      'INVALID_SIGNATURE',
      'KEYSTORE_INVALID',
      'KEYSTORE_NOT_FOUND',
      'KEYSTORE_INVALID',
      'KEYSTORE_PASSWORD_WRONG',
      'WALLET_UNREACHABLE',
      'TRANSACTION_MAYBE_SENT',
      'SIGNING_REFUSED',
      'PAYMASTER_NOT_FOUND',
      'PAYMASTER_NOT_READY',
      'CHAIN_UNREACHABLE',
      'TRANSACTION_WOULD_FAIL',
      'RPC_MISSING',
      'VAULT_LOCKED',
    ],
  }),
  'transactions.handOver': procedure({
    summary:
      'Reserve a prepared transaction for a wallet in the browser, which sends it. The amount of a withdrawal is held meanwhile',
    input: z.strictObject({ draftId: id }),
    errors: [
      'DRAFT_NOT_FOUND',
      'PAYMASTER_NOT_FOUND',
      'PAYMASTER_NOT_READY',
      'CHAIN_UNREACHABLE',
      'TRANSACTION_WOULD_FAIL',
      'RPC_MISSING',
      'VAULT_LOCKED',
    ],
  }),
  'transactions.handBack': procedure({
    summary:
      'Report the hash of the transaction that the wallet in the browser has sent. Gasdesk then follows the transaction',
    input: z.strictObject({ draftId: id, hash }),
    output: transaction,
    errors: ['TRANSACTION_MAYBE_SENT'],
  }),
  'transactions.takeBack': procedure({
    summary:
      'Report that the wallet in the browser returned no hash. If it is certain that it sent nothing, the draft can be sent again',
    input: z.strictObject({
      draftId: id,
      unclear: z
        .string()
        .max(300)
        .nullable()
        .describe(
          "The wallet's message, if it does not say whether the transaction was sent; null: the wallet refused",
        ),
    }),
    errors: ['TRANSACTION_MAYBE_SENT'],
  }),
  'transactions.forget': procedure({
    summary: 'Stop waiting for a transaction that the node does not know. Its amount then no longer counts as pending',
    input: z.strictObject({ transactionId: id }),
    output: transaction,
    errors: ['TRANSACTION_NOT_FOUND', 'TRANSACTION_KNOWN', 'RPC_MISSING', 'CHAIN_UNREACHABLE'],
  }),
  'transactions.list': procedure({
    summary: 'List the sent transactions with their current state on chain, newest first',
    input: query,
    output: z.array(transaction),
  }),
};
