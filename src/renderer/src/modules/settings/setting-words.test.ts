import { expect, test } from 'vitest';
import { loadConfig } from '../../../../engine/config/config.ts';
import { type Setting, sourceText, valueText, wordsOf } from './setting-words.ts';

const setting = (key: string, more: Partial<Setting> = {}): Setting => ({
  key,
  value: 0,
  next: null,
  source: 'default',
  accepts: '',
  change: 'now',
  ...more,
});

test('a limit of 0 is no limit, and times and lists have their units', () => {
  expect(valueText(setting('rateLimitPerKey'), 0)).toBe('no limit');
  expect(valueText(setting('rateLimitPerKey'), 60)).toBe('60 a minute');
  expect(valueText(setting('webhookTimeoutMs'), 3000)).toBe('3,000 ms');
  expect(valueText(setting('bodyLimitBytes'), 1048576)).toBe('1,048,576 bytes');
  expect(valueText(setting('port'), 8645)).toBe('8645');
  expect(valueText(setting('showReasons'), false)).toBe('no');
  expect(valueText(setting('allowedHosts'), [])).toBe('none');
  expect(valueText(setting('continuousBackup'), '')).toBe('none');
});

test('an operator who must change a setting elsewhere sees where', () => {
  expect(sourceText(setting('a', { source: 'GASDESK_A', change: 'overridden' }))).toContain(
    'set by GASDESK_A, which overrides',
  );
  expect(sourceText(setting('a', { source: '--a', change: 'no' }))).toBe('set by --a');
  expect(sourceText(setting('a', { source: '/home/ann/gasdesk.json' }))).toBe('gasdesk.json');
});

test('a setting without words is still shown by its key', () => {
  expect(wordsOf(setting('newOne'))).toEqual({ title: 'newOne', purpose: '' });
});

test('every setting of this version has words', () => {
  const keys = Object.keys(loadConfig({}));
  expect(keys.filter((key) => wordsOf(setting(key)).purpose === '')).toEqual([]);
});
