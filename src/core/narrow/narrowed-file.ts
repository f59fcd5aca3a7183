import { type Document, isMap, isSeq } from 'yaml';
import { grouped } from '../../shared/words/amount.ts';
import { isRuleType } from '../decision/rule-words.ts';
import { policyDocument } from '../policy-file/write-file.ts';
import type { NarrowedPolicy } from './narrow-policy.ts';

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** A line of a comment: names may contain anything. */
const printable = (line: string): string => line.replaceAll(/\p{Cc}/gu, ' ');

/** Comments on the items of a list in a policy file. */
const comment = (document: Document, list: string, notes: readonly (string | undefined)[]): void => {
  const items = document.get(list);
  if (!isSeq(items)) return;
  for (const [index, note] of notes.entries()) {
    const item = items.items[index];
    if (note !== undefined && isMap(item)) item.commentBefore = ` ${printable(note)}`;
  }
};

/**
 * A narrowed policy as a policy file, whose comments say how contracts and rules were used.
 * @param tried how the policy decides the same decisions, in a sentence; empty if it was not tried
 */
export const narrowedFile = (narrowed: NarrowedPolicy, tried = ''): string => {
  const { policy, notes, decisions, sponsored, firstAt, lastAt, removed } = narrowed;
  const document = policyDocument(policy);
  const extent = firstAt === null || lastAt === null ? '' : ` from ${dayOf(firstAt)} to ${dayOf(lastAt)}`;
  const head = [
    `${grouped(sponsored)} of ${grouped(decisions)} decisions${extent} sponsored an operation.`,
    'What none of these operations needed is left out.',
    ...removed.map((sentence) => `Removed: ${sentence}.`),
    tried,
  ].filter((line) => line !== '');
  document.commentBefore = [document.commentBefore, ...head.map((line) => ` ${printable(line)}`)].join('\n');
  comment(
    document,
    'contracts',
    policy.contracts.map(({ ruleId }) => notes.get(ruleId)),
  );
  const inFile = policy.rules.filter(({ policyType }) => isRuleType(policyType));
  comment(
    document,
    'rules',
    inFile.map(({ ruleId }) => notes.get(ruleId)),
  );
  return document.toString({ lineWidth: 0 });
};
