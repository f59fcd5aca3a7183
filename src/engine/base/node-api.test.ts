import { describe, expect, it } from 'vitest';
import { requireNodeApi } from './node-api.ts';

describe('the check of the JavaScript runtime', () => {
  it('says which Node.js is needed, where the database would otherwise crash without a word', () => {
    expect(() => requireNodeApi({ node: '20.19.0', napi: '9' })).toThrow(
      'Gasdesk needs Node.js 22.14 or newer (Node-API 10). This is Node.js 20.19.0 with Node-API 9.',
    );
    expect(() => requireNodeApi({ node: '6.0.0' })).toThrow('Gasdesk needs Node.js 22.14');
  });

  it('lets newer ones run: versions are compared as numbers', () => {
    expect(() => requireNodeApi({ node: '24.0.0', napi: '10' })).not.toThrow();
    expect(() => requireNodeApi({ node: '99.0.0', napi: '100' })).not.toThrow();
  });

  it('accepts the runtime that runs the tests', () => {
    expect(() => requireNodeApi()).not.toThrow();
  });
});
