/** A text of a source, and what replaces it. */
interface Change {
  /** Below `src`. */
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** A mistake in the sources that a simulation has to find. */
export interface Fault {
  readonly name: string;
  readonly changes: readonly Change[];
}

const inFile =
  (file: string) =>
  (name: string, before: string, after: string): Fault => ({ name, changes: [{ file, before, after }] });

const decisions = 'engine/store/tables/decisions.ts';
const settlements = inFile('engine/store/tables/settlements.ts');
const access = inFile('engine/store/sqlite/access.ts');
const commits = inFile(decisions);
const groupCommit = inFile('engine/store/sqlite/group-commit.ts');

/** Mistakes that have been made elsewhere, or that would be easy to make here. */
export const faults: readonly Fault[] = [
  inFile('engine/store/sqlite/open.ts')('a commit is not flushed', 'synchronous = FULL', 'synchronous = OFF'),
  access(
    'the end of the log is noted before the commit',
    '    save,\n',
    '    save() {\n      save();\n      committed();\n    },\n',
  ),
  access('settings in memory survive their change', '      memory.clear();\n', ''),
  groupCommit(
    'what a commit without room has changed stays in memory',
    'undone();\n      for (const pending of batch)',
    'for (const pending of batch)',
  ),
  groupCommit(
    'what could not be undone alone is committed',
    'if (!database.inTransaction || error !== own) throw error;',
    'if (!database.inTransaction) throw error;',
  ),
  groupCommit(
    'an answer does not wait for its commit',
    'settles.push(() => resolve(result));',
    'resolve(result);\n        settles.push(() => undefined);',
  ),
  groupCommit(
    'decisions are stored in another order than they were made',
    'for (const { second, resolve } of begun) {',
    'for (const { second, resolve } of begun.reverse()) {',
  ),
  inFile('engine/service/index.ts')(
    'a change is refused when only its entry has no room',
    "logChanges().catch((err: unknown) => context.log.warn('log.changesNotEntered', { err }))",
    'logChanges()',
  ),
  inFile('engine/log/storage-health.ts')('a full disk is never over', 'error = undefined;', 'void store;'),
  {
    name: 'a limit is read before the transaction',
    changes: [
      {
        file: decisions,
        before: 'decideInParts(facts.reservations, (tx) => concludeOnce(tx, facts, conclude)),',
        after:
          'heldOf(facts.reservations).then((early) => decideInParts(facts.reservations, (tx) => concludeOnce(tx, facts, () => conclude(early)))),',
      },
    ],
  },
  commits(
    'a balance is used after a settlement has ended its reservations',
    'if (tx.ledgerVersion() !== version) return undefined;',
    '',
  ),
  {
    name: 'a policy that changed meanwhile still decides',
    changes: [
      {
        file: 'engine/sponsorship/decide-operation.ts',
        before: 'if (round > 1 || (version instanceof Promise ? await version : version) !== found.current.version) {',
        after: 'if (round > 1) {',
      },
      {
        file: decisions,
        before:
          'if (settings !== undefined && (yield* tx.settingsVersion(settings.scope)) !== settings.version) return undefined;',
        after: '',
      },
    ],
  },
  inFile('core/rules/spending-limit/spending-limit.ts')(
    'a limit has room until it is exceeded',
    'if (used + amount <= threshold)',
    'if (used <= threshold)',
  ),
  inFile('core/ledger/windows.ts')(
    'a window is half as long',
    '(now - startTimeInEpoch) / durationInMs',
    '(now - startTimeInEpoch) / (durationInMs / 2)',
  ),
  inFile('core/rules/gas-tank.ts')(
    'a tank pays for what is reserved already',
    'balanceWei - reservedWei - pendingWithdrawalsWei',
    'balanceWei - pendingWithdrawalsWei',
  ),
  inFile('core/rules/burn-rate/breaker.ts')(
    'the breaker forgets too early',
    'seconds: setting.seconds',
    'seconds: Math.ceil(setting.seconds / 4)',
  ),
  inFile('core/rules/pause.ts')(
    'a pause binds one DApp only',
    'policy.pause === null',
    'policy.pause?.dapp === undefined',
  ),
  inFile('engine/identity/verify-voucher.ts')(
    'anyone may sign a voucher',
    'recovered === undefined || !sameAddress(recovered, signer)',
    'recovered === undefined',
  ),
  inFile('core/rules/spending-limit/spending-limit.ts')(
    'a person has a budget in each account',
    'subject && { user: subject.id }',
    'subject && { user: addressKey(sender) }',
  ),
  inFile('core/webhooks/verdict.ts')(
    'any answer of a webhook agrees',
    'if (!error) return',
    'if (!error || status === 200) return',
  ),
  inFile('engine/config/config.ts')(
    'a webhook has ten times as long',
    '.max(30_000).default(3_000)',
    '.max(30_000).default(30_000)',
  ),
  inFile('core/paymaster-layouts/biconomy-1.1.0.ts')(
    'a tank is charged what the EntryPoint took',
    'tankCharge: (deductedWei) => deductedWei',
    'tankCharge: (deductedWei) => deductedWei - 9_600n',
  ),
  inFile('core/user-operation/max-cost.ts')(
    'v0.6 counts one verification',
    '3n * op.verificationGasLimit',
    'op.verificationGasLimit',
  ),
  inFile('engine/chain/reorg-depth.ts')('one block is read again', 'REORG_BLOCKS = 12', 'REORG_BLOCKS = 1'),
  inFile('core/ledger/settle.ts')('a re-org puts nothing back', '!present.has(seq)', '!present.has(seq) && seq < 0'),
  inFile('engine/chain/used-nonces.ts')(
    'silence proves that a nonce is unused',
    "if (error instanceof RpcError || isUnreachable(error)) return 'unanswered';",
    "if (error instanceof RpcError || isUnreachable(error)) return 'unused';",
  ),
  inFile('core/ledger/settle.ts')(
    'only the first of several DApps has paid for an operation',
    'first !== undefined && others.length === 0',
    'first !== undefined',
  ),
  settlements('a settlement is in no log', 'tx.log.appendSettlement(seq, {', 'void (seq, {'),
  settlements('a settlement moves half of the amount', '[{ ...one, amount }]', '[{ ...one, amount: amount / 2n }]'),
  inFile('engine/event-webhooks/event-sender.ts')(
    'an event that fails is not sent again',
    "state: error === null ? 'delivered' : 'failing'",
    "state: 'delivered'",
  ),
  inFile('engine/event-webhooks/event-reader.ts')(
    'every second event is left out',
    '{ entry: entry.entry + 1, part: 0 }',
    '{ entry: entry.entry + 2, part: 0 }',
  ),
  inFile('core/rules/token-payment.ts')(
    'tokens are promised twice',
    '[resultOf(input, input.payment, reservedUnits)]',
    '[resultOf(input, input.payment, 0n)]',
  ),
  inFile('engine/chain/rates/chainlink.ts')(
    'the rate of a token is rounded down',
    '(numerator + denominator - 1n) / denominator',
    'numerator / denominator',
  ),
  inFile('core/token-mode/payment-terms.ts')(
    'the premium is left out',
    '{ exchangeRate: rateWithPremium(exchangeRate, token.premium) }',
    '{ exchangeRate }',
  ),
  inFile('engine/chain/rates/chainlink.ts')(
    'an old price is as good as a new one',
    'updatedAt + BigInt(maxAge) < seconds',
    'updatedAt < 0n',
  ),
];
