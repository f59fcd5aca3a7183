import { describe, expect, it } from 'vitest';
import type { Hex } from '../../shared/schema/hex.ts';
import { isEip7702 } from './user-op-hash.ts';

describe('isEip7702', () => {
  it.each<[Hex, boolean]>([
    ['0x', false],
    ['0x77', false],
    ['0x7702', true],
    ['0x770200', true],
    [`0x7702${'00'.repeat(18)}`, true],
    [`0x7702${'00'.repeat(18)}ff`, true],
    [`0x7702${'00'.repeat(17)}01`, false],
    [`0x7703${'00'.repeat(18)}`, false],
  ])('asks for the delegate of exactly those accounts the EntryPoint hashes by it: %s', (initCode, expected) => {
    expect(isEip7702(initCode)).toBe(expected);
  });
});
