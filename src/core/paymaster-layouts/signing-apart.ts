import { EngineError } from '../../shared/errors.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import type { PartialUserOperation } from '../../shared/schema/partial-user-operation.ts';
import type { SponsorshipOptions } from '../../shared/schema/sponsorship.ts';
import { entryPoints } from '../entry-points/registry.ts';
import { digits, toHex } from '../user-operation/hex-digits.ts';
import { SUFFIX_MAGIC, endsInMagic } from '../user-operation/paymaster-signature.ts';
import type { PaymasterLayout } from './layout.ts';

type SentOperation = Pick<PartialUserOperation, 'paymasterData' | 'paymasterAndData' | 'paymasterSignature'>;

/** The parts of a request that determine how account and paymaster sign. */
export interface SigningRequest {
  readonly userOperation: SentOperation;
  readonly options: Pick<SponsorshipOptions, 'signingPhase'>;
}

const error = (message: string): EngineError => new EngineError('VALIDATION', message, { errors: [message] });

/** The field that ends in the magic bytes of a paymaster signature, and the bytes after the paymaster's gas limits. */
const suffixedField = ({ paymasterAndData, paymasterData }: SentOperation): readonly [string, Hex] | undefined => {
  if (paymasterAndData !== undefined && endsInMagic(paymasterAndData)) {
    return ['paymasterAndData', toHex(digits(paymasterAndData).slice(104))];
  }
  return paymasterData && endsInMagic(paymasterData) ? ['paymasterData', paymasterData] : undefined;
};

/** Placeholder for the paymaster's address and its gas limits. */
const ANY_HEAD = '00'.repeat(52);

/**
 * Checks a request in which the operation's hash does not cover the paymaster's signature. The account signs the magic
 * bytes and the bytes before the paymaster's signature. If the request contained paymaster data other than what Gasdesk
 * returns, the account's signature would be invalid.
 *
 * @throws EngineError `VALIDATION`
 */
export const checkSigning = (layout: PaymasterLayout, { userOperation, options }: SigningRequest): void => {
  const { version, signsApart = false, entryPointVersion } = layout;
  if (options.signingPhase !== undefined && !signsApart) {
    throw error(
      `signingPhase should not exist: this DApp's paymaster is ${version}, whose signature is part of the operation's hash`,
    );
  }
  if (!entryPoints[entryPointVersion].leavesOutSuffix) return;
  const [field, data] = suffixedField(userOperation) ?? [];
  const own = userOperation.paymasterSignature ?? '0x';
  if (!signsApart && (field !== undefined || own !== '0x')) {
    const what =
      field === undefined ? 'paymasterSignature should not exist' : `${field} should not end in 0x${SUFFIX_MAGIC}`;
    throw error(`${what}: the signature of this DApp's paymaster, ${version}, is part of the operation's hash`);
  }
  // With some clients, the account signs over the magic bytes alone, before the client requests paymaster data.
  if (data === undefined || data === `0x${SUFFIX_MAGIC}`) return;
  const read = layout.read(toHex(ANY_HEAD, digits(data)));
  if ('misfit' in read) throw error(`${field} ends in a signature that is not of ${version}: ${read.misfit}`);
};

/**
 * True if a client expects the signature at the end of `paymasterData`, because its request names a phase or contains
 * such data. Other clients, such as viem and alto, expect the signature in a separate field.
 */
export const wantsSuffix = ({ userOperation, options }: SigningRequest): boolean =>
  userOperation.paymasterSignature === undefined &&
  (options.signingPhase !== undefined || suffixedField(userOperation) !== undefined);
