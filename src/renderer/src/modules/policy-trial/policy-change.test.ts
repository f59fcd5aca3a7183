import { expect, test } from 'vitest';
import { EngineError, type ErrorCode } from '../../../../shared/errors.ts';
import type { Transport } from '../../transport/transport.ts';
import { makeChange } from './policy-change.ts';

const refused = (code: ErrorCode): Promise<unknown> => {
  const transport = { call: () => Promise.reject(new EngineError(code)) } as unknown as Transport;
  return makeChange(transport, { name: 'rules.delete', input: { paymasterId: 'p', ruleId: 'r' } });
};

test('a name that another rule has is said in the words of the console, with the code of the engine', async () => {
  const words = 'Another rule of this DApp has this name. Choose another.';
  await expect(refused('RULE_NAME_EXISTS')).rejects.toMatchObject({ code: 'RULE_NAME_EXISTS', message: words });
});

test('other refusals keep their words', async () => {
  await expect(refused('RULE_NOT_FOUND')).rejects.toThrow('Paymaster policy not found');
});
