import type { ProcedureOutput } from '../../../../api/index.ts';
import type { IconName } from '../../ui/icons.ts';

type Evaluation = ProcedureOutput<'rules.evaluate'>;

export interface ExampleWords {
  readonly icon: IconName;
  readonly tone: 'good' | 'warning' | 'bad' | 'quiet';
  readonly text: string;
}

export const exampleWords = ({ answer, failure }: Evaluation): ExampleWords => {
  switch (answer) {
    case 'true':
      return { icon: 'check', tone: 'good', text: 'On this decision it is true.' };
    case 'false':
      return { icon: 'cross', tone: 'warning', text: 'On this decision it is false.' };
    case 'failed':
      return { icon: 'error', tone: 'bad', text: `On this decision it cannot be evaluated: ${failure ?? ''}.` };
    case 'notReplayable':
      return {
        icon: 'info',
        tone: 'quiet',
        text: 'The record of this decision lacks the values that conditions read.',
      };
  }
};
