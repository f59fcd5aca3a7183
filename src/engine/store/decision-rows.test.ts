import { expect, it } from 'vitest';
import { encodeExecute } from '../../../test/support/account-call-data.ts';
import { decidedLine, decidedText } from '../../../test/support/decided-record.ts';
import { type Situation, inputsOf, together } from '../../../test/support/situation.ts';
import { ITEMS, call, items, limit } from '../../../test/support/situations.ts';
import { type StoredDecision, decisionWith, readDecision } from './decision-rows.ts';

const minting: Situation = {
  policy: { contracts: [items()], rules: [limit()] },
  op: { callData: encodeExecute(ITEMS, 1_234_567n, call('mint')) },
};
const situations: readonly Situation[] = [
  minting,
  { policy: { contracts: [] }, op: { callData: encodeExecute(ITEMS, 7n, '0x12345678') } },
  { policy: { contracts: [] }, op: { callData: '0x12345678' } },
  together(minting, { held: { limit: 5n } }),
];
const LENGTHS = [1, 2, 3, 5, 8, 13, 21, 42];

it.each(situations.map((situation, index) => [index, situation] as const))(
  'a search finds decision %i by any part of what it says, and by nothing else',
  (_index, situation) => {
    const [facts, policy, held] = inputsOf(situation);
    const { sender, id, userOpHash, dapp, message, request, settlement } = decidedLine(facts, policy, held);
    const stored: StoredDecision = {
      seq: 1,
      settlement,
      actualCostWei: null,
      record: decidedText(facts, policy, held),
    };
    const found = (text: string): boolean =>
      decisionWith(text, stored, { decision: readDecision(stored), revision: policy }) !== undefined;
    const calls = JSON.stringify((request as { readonly calls?: unknown }).calls);
    const said = [sender, id, userOpHash ?? '', dapp, message, calls].map((part) => part.toLowerCase());
    const parts = said.flatMap((text) =>
      LENGTHS.flatMap((length) =>
        Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) => text.slice(at, at + length)),
      ),
    );
    expect(parts.length).toBeGreaterThan(1_000);
    for (const part of new Set(parts)) expect(found(part), part).toBe(true);
    for (const other of ['no such word', 'ab12cd34ef56', '0xab12cd34ef56', '98765432101'])
      expect(found(other)).toBe(false);
  },
);
