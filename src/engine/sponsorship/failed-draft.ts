import { z } from 'zod';
import { entryPoints } from '../../core/entry-points/registry.ts';
import { EngineError } from '../../shared/errors.ts';
import { address, addressKey } from '../../shared/schema/hex.ts';
import { quantity } from '../../shared/schema/quantity.ts';
import { findLayout } from '../../core/paymaster-layouts/registry.ts';
import type { DecisionDraft } from '../store/decision-store.ts';
import type { Dapp } from '../store/registry-store.ts';
import { type SponsorshipRequest, recordReceived, requestRecord } from './request-record.ts';

const failure = ({ version }: Dapp, error: unknown) => {
  const layout = findLayout(version);
  const expected = error instanceof EngineError;
  return {
    entryPoint: layout === undefined ? '' : entryPoints[layout.entryPointVersion].address,
    userOpHash: null,
    outcome: 'error',
    code: expected ? error.code : 'INTERNAL',
    rule: null,
    message: expected ? error.message : 'Internal error. The log has the details.',
    hint: expected && typeof error.data['fix'] === 'string' ? error.data['fix'] : '',
    paymasterAndData: '0x',
    validAfter: null,
    validUntil: null,
    maxCostWei: null,
    actualCostWei: null,
    settlement: null,
  } as const;
};

/** Record of a request that failed before it was decided. */
export const failedDraft = (
  decisionId: string,
  request: SponsorshipRequest,
  at: number,
  error: unknown,
): DecisionDraft => ({ ...requestRecord(decisionId, request), at, ...failure(request.dapp, error), trace: [] });

export interface UnreadRequest {
  readonly dapp: Dapp;
  readonly method: string;
  readonly received: unknown;
  /** True: a hash is stored instead. */
  readonly isBlanked: boolean;
}

const part = z
  .tuple([z.object({ sender: address.optional().catch(undefined), nonce: quantity.optional().catch(undefined) })])
  .rest(z.unknown());

/** Record of a request that was refused before it was parsed. If sender, nonce and mode are unknown, they are empty. */
export const refusedDraft = (
  id: string,
  at: number,
  { dapp, method, received, isBlanked }: UnreadRequest,
  error: unknown,
): DecisionDraft => {
  const { sender = '', nonce = '' } = part.safeParse(received).data?.[0] ?? {};
  return {
    id,
    at,
    method,
    mode: '',
    chainId: dapp.chainId,
    paymasterId: dapp.paymasterId,
    dapp: dapp.name,
    sender: sender === '' ? '' : addressKey(sender),
    nonce: String(nonce),
    request: { received: recordReceived({ received, isBlanked }) },
    ...failure(dapp, error),
    trace: [],
  };
};
