import { expect, test } from 'vitest';
import { snippetsFor } from './snippets.ts';

const url = 'http://desk.example/api/v2/1/key';
const viemFor = (forwards: boolean) =>
  snippetsFor({ url, forwards, chainId: 1, entryPointVersion: '0.7', entryPoint: '0xentry' })[0]?.code;

test('where the desk passes bundler methods on, its URL is that of the bundler too', () => {
  expect(viemFor(false)).toContain('transport: http(bundlerUrl),\n  paymaster,');
  expect(viemFor(true)).toContain(`transport: http('${url}'),\n  paymaster,`);
  expect(viemFor(true)).not.toContain('bundlerUrl');
});
