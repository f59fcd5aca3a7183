import { z } from 'zod';
import { address, hex } from '../shared/schema/hex.ts';
import { id } from '../shared/schema/text.ts';
import { signingKey } from './keys.ts';
import { procedure } from './procedure.ts';

const proof = z.strictObject({ signature: hex, address: address.describe('Recovered from the signature') });

const change = z.strictObject({
  at: z.number().describe('epoch ms'),
  previous: address.nullable(),
  address,
  message: z.string().describe('What was signed'),
  signature: z.string().nullable().describe('Null for changes made before signatures were stored'),
});

/**
 * Procedures for signing the funding message and for the result. The `paymasters` procedures issue and redeem the
 * message.
 */
export const fundingProcedures = {
  'funding.sign': procedure({
    summary: 'Sign the newest funding message with a local key or wallet. Changes nothing',
    input: z.strictObject({ paymasterId: id, key: signingKey }),
    output: proof,
    errors: [
      'PAYMASTER_NOT_FOUND',
      'FUNDING_MESSAGE_MISSING',
      'KEYSTORE_NOT_FOUND',
      'KEYSTORE_INVALID',
      'KEYSTORE_PASSWORD_WRONG',
      'WALLET_UNREACHABLE',
      'SIGNING_REFUSED',
    ],
  }),
  'funding.recover': procedure({
    summary: 'Recover the signer of the newest funding message',
    input: z.strictObject({ paymasterId: id, signature: z.string().max(300) }),
    output: proof,
    errors: ['PAYMASTER_NOT_FOUND', 'FUNDING_MESSAGE_MISSING', 'INVALID_SIGNATURE'],
  }),
  'funding.history': procedure({
    summary: 'List the changes of the funding wallet, newest first',
    input: z.strictObject({ paymasterId: id }),
    output: z.array(change),
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
};
