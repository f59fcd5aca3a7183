import { expect, test } from 'vitest';
import { type LogLine, loggedErrorText, fieldsText, isWanted } from './log-follow.ts';

const line = (level: LogLine['level'], fields: LogLine['fields'] = {}): LogLine => ({
  seq: 1,
  at: 0,
  level,
  event: 'http.request',
  fields,
});

test('a line is found by its level, its event, its fields and its error, whatever the case', () => {
  const failed = line('error', {
    status: 500,
    err: { name: 'TypeError', message: 'Oh No', stack: 'TypeError: Oh No at x' },
  });
  expect(isWanted(failed, 'warn', '')).toBe(true);
  expect(isWanted(line('info'), 'warn', '')).toBe(false);
  for (const text of ['HTTP.req', 'status=500', 'oh no', ' oh no ']) expect(isWanted(failed, 'debug', text)).toBe(true);
  expect(isWanted(failed, 'debug', 'elsewhere')).toBe(false);
});

test('fields are shown as they were written, an error apart from them', () => {
  const fields = { method: 'GET', ms: 3, code: null, err: { message: 'bad' } };
  expect(fieldsText(fields)).toBe('method=GET ms=3 code=null');
  expect(loggedErrorText(fields)).toBe('bad');
  expect(loggedErrorText({})).toBe('');
});
