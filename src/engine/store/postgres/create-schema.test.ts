import { expect, test } from 'vitest';
import { requireServer } from './create-schema.ts';

test('a server that is too old is refused, with what is needed', () => {
  expect(() => requireServer({ server_version_num: '140000', server_version: '14.0' })).not.toThrow();
  expect(() => requireServer({ server_version_num: '130022', server_version: '13.22' })).toThrow(
    'PostgreSQL 13.22, and Gasdesk needs PostgreSQL 14 or later',
  );
});
