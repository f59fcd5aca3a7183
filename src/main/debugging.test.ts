import { expect, test } from 'vitest';
import { refuseDebuggers } from './debugging.ts';

test.each([
  '--remote-debugging-port=9222',
  '--remote-debugging-port',
  '-remote-debugging-pipe',
  '--REMOTE-DEBUGGING-ADDRESS=0.0.0.0',
  '--remote-allow-origins=*',
  '--inspect',
  '--inspect-brk=0',
  '--inspect-port=1',
  '--inspect-publish-uid=http',
  '--debug-port=1',
])('the application does not start with %s', (given) => {
  expect(() => refuseDebuggers(['gasdesk', given], undefined)).toThrow(/does not start while --[\w-]+ opens it/);
});

test('nor while an inspector is open by other means', () => {
  expect(() => refuseDebuggers(['gasdesk'], 'ws://127.0.0.1:9229/x')).toThrow(/while a debugger is open/);
});

test('it starts with anything else', () => {
  const args = [
    'gasdesk',
    '--no-sandbox',
    '--inspection',
    'inspect',
    '/home/inspect',
    'remote-debugging-port.jsonl',
    '-',
  ];
  expect(() => refuseDebuggers(args, undefined)).not.toThrow();
});
