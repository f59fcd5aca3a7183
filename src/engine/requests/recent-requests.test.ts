import { expect, it } from 'vitest';
import { EngineError } from '../../shared/errors.ts';
import { createRecentRequests } from './recent-requests.ts';

const KEY = 'Zm9vYmFyY.6f1e6a35-6d4e-4a9e-9c4e-111111111111';

const requests = () => createRecentRequests({ clock: { now: () => 1, monotonic: () => 0 }, isBlanked: () => false });

const fail = (kept: ReturnType<typeof requests>, paymasterId: string, message: string, method = 'x'): void =>
  kept.start({ chainId: 1, paymasterId })({ method, status: 200, error: new EngineError('METHOD_NOT_FOUND', message) });

it('the message of a cause is that of a DApp whose errors are meant', () => {
  const kept = requests();
  fail(kept, 'mine', 'my message');
  fail(kept, 'another', 'a message of another DApp');
  expect(kept.errors((id) => id === 'mine')).toMatchObject([{ message: 'my message', count: 1 }]);
  expect(kept.errors(() => true)).toMatchObject([{ message: 'a message of another DApp', count: 2 }]);
  fail(kept, 'mine', 'my newest');
  expect(kept.errors(() => true)).toMatchObject([{ message: 'my newest', count: 3 }]);
});

it('a secret is removed before a text is cut in the middle of it', () => {
  const kept = requests();
  fail(kept, 'mine', `${'m'.repeat(470)} ${KEY}`, `${'m'.repeat(70)} ${KEY}`);
  expect(JSON.stringify(kept.list({ isMeant: () => true, after: 0, limit: 1 }))).not.toContain('6f1e6a35');
});
