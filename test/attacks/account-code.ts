import { entryPoints } from '../../src/core/entry-points/registry.ts';
import type { Hex } from '../../src/shared/schema/hex.ts';
import type { EntryPointVersion } from '../../src/shared/schema/user-operation.ts';

/** Where the code of {@link BEHAVIOURS} begins, in bytes. */
const BEHAVIOUR_AT = 14;

const byte = (value: number): string => value.toString(16).padStart(2, '0');
const word32 = (value: number): string => value.toString(16).padStart(8, '0');

/** What an account does when it is called, by the block up to which it shows another face. */
const BEHAVIOURS = {
  /** STOP: all gas of the call is left. */
  idle: () => '00',
  /** INVALID: all gas of the call is gone. */
  burning: () => 'fe',
  /** Burns all gas up to that block, in which it is simulated, and leaves all of it later. */
  fickle: (block: number) => `4363${word32(block)}1060${byte(BEHAVIOUR_AT + 11)}57fe5b00`,
  /** Fills a slot of its storage and clears it, until 30,000 gas are left: EIP-3529 refunds up to a fifth of a transaction. */
  refunded: () => `5b60015f555f5f555a6175301060${byte(BEHAVIOUR_AT)}5700`,
} as const;

/** What an account of the attacker's own making does when it is called. */
export type Behaviour = keyof typeof BEHAVIOURS;

/**
 * The code of an account that accepts any signature: `validateUserOp` answers 0, whatever the rest.
 *
 * @param block up to which a fickle account burns its gas
 */
export const accountCode = (version: EntryPointVersion, behaviour: Behaviour, block: number): Hex => {
  const selector = entryPoints[version].isPacked ? '19822f7c' : '3a871cdd';
  const does = BEHAVIOURS[behaviour](block);
  const answerAt = byte(BEHAVIOUR_AT + does.length / 2);
  // CALLDATALOAD(0) >> 224 == selector ? return 32 bytes of zero : what it does
  return `0x5f3560e01c63${selector}1460${answerAt}57${does}5b60205ff3`;
};
