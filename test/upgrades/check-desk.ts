import { join } from 'node:path';
import { expect } from 'vitest';
import { exportText, exportedDecisions } from '../../src/api/decision-export.ts';
import type { Caller } from '../../src/api/index.ts';
import { replayExport } from '../../src/core/replay/replay-export.ts';
import { version as engine } from '../../src/engine/base/version.ts';
import { verifyDesk } from '../../src/engine/log/verify-log.ts';
import { nativeRecoverSigner as recover } from '../../src/engine/signer/recover-signer.ts';
import type { DecisionRecord } from '../../src/shared/schema/decision.ts';
import { MANAGEMENT_PREFIX } from '../../src/engine/management/operations.ts';
import type { ServingEngine } from '../support/engine.ts';
import { gameCall, operation, sponsorRequest } from '../support/operations.ts';
import { FILES, LIMIT, expectedOf, fixtureFolder } from './fixtures.ts';
import { listsOf, outcomesOf } from './look.ts';

const since = (version: string): string => join(fixtureFolder(version), FILES.checkpoint);

async function* recordsIn(call: Caller): AsyncGenerator<DecisionRecord[]> {
  for await (const text of exportText(exportedDecisions(call, {}), 'jsonl'))
    yield text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as DecisionRecord);
}

/** Requires that a desk shows all that a release has stored, and that its log verifies. */
export const checkDesk = async (call: Caller, version: string): Promise<void> => {
  const expected = expectedOf(version);
  expect(await listsOf(call)).toEqual(expected.lists);
  const { decisions, outcomes } = expected;
  expect(await outcomesOf(call)).toEqual({ decisions, outcomes });
  const report = await verifyDesk(call, { since: since(version), withSignatures: true });
  expect(report.faults).toEqual([]);
  expect(report.entries).toBeGreaterThanOrEqual(expected.entries);
  expect(report.since?.size).toBe(expected.entries);
  const replayed = await replayExport(recordsIn(call), { engine, withSignatures: true, recover, isMeant: () => true });
  expect(replayed.different).toEqual([]);
  expect(replayed.decisions).toBe(decisions);
};

/** Requires that a desk of a release sponsors on: with its keys and tokens, up to its limits, in the same log. */
export const continueDesk = async ({ service, post, url }: ServingEngine, version: string): Promise<void> => {
  const { apiKey, authToken, paymasterId, entries } = expectedOf(version);
  const codes: string[] = [];
  for (let nonce = 5_000; nonce < 5_000 + LIMIT; nonce += 1) {
    const op = operation({ to: `0x${'aa'.repeat(20)}`, data: gameCall('mint') }, { nonce: `0x${nonce.toString(16)}` });
    const { body } = await post(`/api/v1/31337/${apiKey}`, sponsorRequest([op, { mode: 'SPONSORED' }]));
    codes.push(body.result?.reason?.code ?? String(body.error?.message ?? 'SPONSORED'));
  }
  // One had been sponsored by the release.
  expect(codes).toEqual([...Array.from({ length: LIMIT - 1 }, () => 'SPONSORED'), 'LIMIT_REACHED']);
  const answer = await fetch(`${url}${MANAGEMENT_PREFIX}/paymaster-policy`, { headers: { authToken, apiKey } });
  expect([answer.status, await answer.json()]).toMatchObject([
    200,
    { data: [{ name: expect.stringMatching(/^Limit/) }] },
  ]);
  expect((await service.call('policies.history', { paymasterId })).length).toBeGreaterThan(0);
  const report = await verifyDesk(service.call, { since: since(version), withSignatures: false });
  expect([report.faults, report.entries > entries]).toEqual([[], true]);
};
