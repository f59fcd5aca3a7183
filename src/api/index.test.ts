import { expect, it } from 'vitest';
import { z } from 'zod';
import { procedures } from './index.ts';

it('no private key that holds money is handed over: only a key that signs sponsorships is', () => {
  const taking = Object.entries(procedures)
    .filter(([, { input }]) =>
      JSON.stringify(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })).includes('"privateKey"'),
    )
    .map(([name]) => name);
  expect(taking).toEqual(['signers.import']);
});
