import type { ProcedureOutput } from '../../../../api/index.ts';
import type { IconName } from '../../ui/icons.ts';

type SecondVerdict = ProcedureOutput<'rules.decideAgain'>;

interface AgainWords {
  readonly icon: IconName;
  readonly tone: 'good' | 'warning' | 'quiet';
  readonly verdict: string;
  /** Further sentences; may be empty. */
  readonly rest: string;
}

const GOOD = { icon: 'check', tone: 'good' } as const;
const DENIED = { icon: 'cross', tone: 'warning' } as const;
const UNKNOWN = { icon: 'info', tone: 'quiet' } as const;

/** Describes the verdict of a replay. @param isSame true if the reason has not changed */
export const againWords = ({ verdict, reason }: SecondVerdict, isSame: boolean): AgainWords => {
  switch (verdict) {
    case 'sponsored':
      return { ...GOOD, verdict: 'sponsored.', rest: 'The client can send the operation again.' };
    case 'webhooks':
      return { ...GOOD, verdict: 'sponsored if its webhooks verify it.', rest: 'Deciding again does not call them.' };
    case 'gasUnknown':
      return {
        ...GOOD,
        verdict: 'no rule denies it.',
        rest: 'Its gas was not estimated while sponsorship was paused: send the operation again.',
      };
    case 'notRead':
      return {
        ...UNKNOWN,
        verdict: 'could not be evaluated.',
        rest: 'A rule needs something that Gasdesk did not read then, such as a token balance. Send the operation again.',
      };
    case 'denied':
      return {
        ...DENIED,
        verdict: isSame ? 'still denied.' : 'still denied:',
        rest: isSame ? '' : (reason?.message ?? ''),
      };
    case 'notReplayable':
      return { ...UNKNOWN, verdict: 'could not be evaluated.', rest: 'The record of this decision is incomplete.' };
  }
};
