import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { readRecord } from '../../src/core/decision/stored-record.ts';
import type { DecisionRecord } from '../../src/shared/schema/decision.ts';
import { SENDER } from '../support/account-call-data.ts';
import { FEE, GAS, RESERVED_WEI, gameCall, operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

// Silent: one test makes the engine fail.
const world = useSponsoredWorld({ showReasons: false, logLevel: 'silent' });

const op = (overrides: Record<string, unknown> = {}): Record<string, unknown> =>
  operation({ to: world().contracts.gameItems, data: gameCall('mint') }, overrides);
/** Looks at, or into, the database file from outside the engine. */
const withDatabase = <T>(use: (database: Database.Database) => T): T => {
  const database = new Database(world().database);
  try {
    return use(database);
  } finally {
    database.close();
  }
};
/** What stands in the database file about the newest decision of a DApp. */
const stored = ({ paymasterId }: SponsoredDapp): Record<string, unknown> =>
  withDatabase((database) =>
    database
      .prepare<[string], { record: string }>('SELECT record FROM decision WHERE paymaster_id = ? ORDER BY seq DESC')
      .all(paymasterId)
      .map(({ record }) => readRecord(record) as unknown as Record<string, unknown>),
  )[0]!;
const newest = async (dapp: SponsoredDapp): Promise<DecisionRecord> => (await dapp.decisions())[0]!;

describe('once a DApp has its answer, the decision is on disk', () => {
  test.each<[string, bigint, Record<string, unknown>, Record<string, unknown>]>([
    ['sponsored', RESERVED_WEI, {}, { code: 'SPONSORED', settlement: 'reserved', maxCostWei: String(RESERVED_WEI) }],
    ['denied', 0n, {}, { code: 'GAS_TANK_EMPTY', settlement: null, maxCostWei: String(RESERVED_WEI) }],
    ['error', RESERVED_WEI, { callGasLimit: '0x' }, { code: 'VALIDATION', settlement: null, maxCostWei: null }],
    [
      'error',
      RESERVED_WEI,
      { maxFeePerGas: String(2n ** 120n) },
      { code: 'VALIDATION', settlement: null, maxCostWei: null },
    ],
  ])('%s, case %#', async (outcome, tankWei, overrides, facts) => {
    const dapp = await world().dapp(tankWei);
    const { clock, chain, contracts } = world();
    const sent = op({ nonce: `0x${(2n ** 255n).toString(16)}`, ...overrides });
    const { body } = await dapp.sponsor(sent, { expiryDuration: 300 });
    const { code, maxCostWei } = facts;
    expect(stored(dapp)).toMatchObject({ outcome, code, maxCostWei });

    const decision = await newest(dapp);
    expect(decision).toMatchObject({
      ...facts,
      outcome,
      at: clock.now(),
      method: 'pm_sponsorUserOperation',
      mode: 'SPONSORED',
      chainId: chain.chainId,
      entryPoint: contracts.entryPoint,
      paymasterId: dapp.paymasterId,
      sender: SENDER,
      nonce: String(2n ** 255n),
      actualCostWei: null,
      paymasterAndData: body.result?.paymasterAndData ?? '0x',
      request: {
        received: [sent, { mode: 'SPONSORED', expiryDuration: 300 }],
        options: { mode: 'SPONSORED', expiryDuration: 300, calculateGasLimits: false },
        userOperation: { nonce: `0x${(2n ** 255n).toString(16)}`, initCode: '0x' },
      },
    });
    expect(await world().engine.service.call('decisions.show', { decisionId: decision.id })).toEqual(decision);
    if (body.error !== undefined) expect(decision.message).toBe(body.error.message);
  });

  test('a mode that is not served is a decision too', async () => {
    const dapp = await world().dapp(0n);
    await dapp.sponsor(op(), { mode: 'ERC20' });
    expect(await newest(dapp)).toMatchObject({ outcome: 'error', code: 'FEE_TOKEN_REQUIRED', mode: 'ERC20' });
  });

  test('the trace shows what each rule compared, in the order of deciding', async () => {
    const dapp = await world().dapp(RESERVED_WEI + 5n);
    await dapp.sponsor(op());
    expect(
      (await newest(dapp)).trace.map(({ rule, outcome, code, evidence }) => [rule, outcome, code, evidence]),
    ).toEqual([
      ['gas', 'pass', 'GAS_GIVEN', { ...GAS, maxFeePerGasWei: String(FEE) }],
      ['contracts', 'skip', 'NO_CONTRACT_REGISTERED', {}],
      ['walletDeployment', 'skip', 'NO_DEPLOYMENT', {}],
      ['validity', 'pass', 'MAY_BE_VALID', { nonce: '0', nextNonce: '0' }],
      [
        'fees',
        'pass',
        'FEE_COVERS_BASE',
        {
          maxFeePerGasWei: String(FEE),
          baseFeeWei: expect.stringMatching(/^\d+$/),
          suggestedTipWei: expect.stringMatching(/^\d+$/),
          mostCostWei: expect.stringMatching(/^\d+$/),
        },
      ],
      [
        'gasTank',
        'pass',
        'TANK_COVERS',
        { balanceWei: String(RESERVED_WEI + 5n), reservedWei: '0', requiredWei: String(RESERVED_WEI) },
      ],
    ]);
  });

  test('many at once are numbered without a gap or a double', async () => {
    const dapp = await world().dapp(10n * RESERVED_WEI);
    await Promise.all(Array.from({ length: 20 }, (_, nonce) => dapp.sponsor(op({ nonce }))));
    const decisions = await dapp.decisions();
    const seqs = decisions.map(({ seq }) => seq);
    expect(new Set(decisions.map(({ id }) => id)).size).toBe(20);
    expect(seqs).toEqual(Array.from({ length: 20 }, (_, index) => seqs[0]! - index));
    expect(new Set(decisions.map(({ nonce }) => nonce)).size).toBe(20);
  });
});

test('what cannot be written down is not signed, and promises nothing', async () => {
  const dapp = await world().dapp(RESERVED_WEI);
  const refuse = `CREATE TRIGGER full BEFORE INSERT ON decision BEGIN SELECT RAISE(ABORT, 'disk full'); END`;
  withDatabase((database) => database.exec(refuse));
  try {
    const { status, body } = await dapp.sponsor(op());
    expect({ status, ...body }).toEqual({
      status: 400,
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32603,
        message: expect.stringMatching(/^Internal error \(request [0-9a-f-]{36}\)$/),
        data: { requestId: expect.any(String) },
      },
    });
  } finally {
    withDatabase((database) => database.exec('DROP TRIGGER full'));
  }
  expect(await dapp.decisions()).toEqual([]);
  expect((await dapp.sponsor(op())).body.result?.paymasterAndData).not.toBe('0x');
});

test('with reasons switched off a stranger learns only that it is not sponsored; the operator still reads why', async () => {
  const dapp = await world().dapp(0n);
  const { status, body } = await dapp.sponsor(op());
  expect([status, body.result]).toEqual([
    200,
    {
      MODE: 'SPONSORED',
      mode: 'SPONSORED',
      paymasterAndData: '0x',
      preVerificationGas: GAS.preVerificationGas,
      verificationGasLimit: 500_000,
      callGasLimit: 200_000,
    },
  ]);
  expect((await newest(dapp)).hint).toContain('Top up the tank');
});
