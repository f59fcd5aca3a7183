import { expect, test } from 'vitest';
import { EngineError } from '../../../../shared/errors.ts';
import { setupError } from './setup-error.ts';

test.each([
  ['a node', new EngineError('RPC_MISSING', 'Run "gasdesk chain set 1 --rpc URL".'), 'Save the node'],
  [
    'a contract',
    new EngineError('PAYMASTER_NOT_READY', 'Run "gasdesk contract deploy"', { missing: 'contract' }),
    'Deploy, verify and deposit',
  ],
  ['the vault', new EngineError('VAULT_LOCKED', 'Start the service with GASDESK_PASSPHRASE'), 'Unlock the vault'],
])('what is missing names the button, and no command: %s', (_what, error, button) => {
  const { message } = setupError(error) as EngineError;
  expect(message).toContain(`"${button}"`);
  expect(message).not.toMatch(/gasdesk|GASDESK/);
});

test('what the engine says better stays', () => {
  const error = new EngineError('TRANSACTION_WOULD_FAIL', 'Insufficient balance: add 0.1.');
  expect(setupError(error)).toBe(error);
});
