import { expect, test } from 'vitest';
import { boundSentence } from './words.ts';

test.each([
  [{ rule: 'gasTank', name: null }, 'then the gas tank stops it.'],
  [{ rule: 'spendingLimit', name: 'All' }, 'then the spending limit "All" stops it.'],
  [{ rule: 'senders', name: null }, 'then the rule on senders stops it.'],
  [{ rule: 'contracts', name: null }, 'then the rule on contracts stops it.'],
])('a sentence says what stops an attacker: %o', (stop, end) => {
  const stoppedBy = { ...stop, code: 'ANY' };
  expect(boundSentence({ period: 'hour', amountWei: '0', stoppedBy }, 'ETH')).toBe(`In any hour: 0 ETH, ${end}`);
});
