import { type AttackChain, startAttackChain } from './chain.ts';
import { audit } from './audit.ts';
import type { Step } from './moves.ts';
import { type NodeLine, startNodeLine } from './node-line.ts';
import type { Policy } from './policy.ts';
import { type Receivers, startReceivers } from './receiver.ts';
import { startRun } from './start-run.ts';
import { type Tally, newTally } from './tally.ts';
import { type IgnoredViolations, Violation } from './violation.ts';

/** Where attacks are played, one after the other. */
export interface Arena {
  readonly tally: Tally;
  /** Plays a script against a desk with that policy. @throws Error with the story, if the operator lost by it */
  play(policy: Policy, steps: readonly Step[]): Promise<void>;
  stop(): Promise<void>;
}

/** A story that ended with a loss. */
export class Loss extends Error {
  override readonly name = 'Loss';
  readonly violation: Violation;
  constructor(violation: Violation, story: readonly string[]) {
    super([violation.message, ...story].join('\n'), { cause: violation });
    this.violation = violation;
  }
}

const policyWords = (policy: Policy): string[] => [
  `base fee ${policy.baseFeeMwei} and tip ${policy.tipMwei} mwei, one operation at most ${policy.operationCost} milli, tanks of ${policy.tank} milli, breaker ${JSON.stringify(policy.breaker)}, calls to a webhook at once: ${policy.webhookMaxConcurrent}`,
  ...policy.dapps.map((dapp, index) => `DApp ${index}: ${JSON.stringify(dapp)}`),
];

/** Starts an arena. End it with `stop`. */
export const startArena = async (ignored: IgnoredViolations['ignored'] = new Map()): Promise<Arena> => {
  const chain: AttackChain = await startAttackChain();
  const line: NodeLine = await startNodeLine(chain.url);
  const receivers: Receivers = await startReceivers();
  const tally = newTally();
  return {
    tally,
    async play(policy, steps) {
      const story = policyWords(policy);
      const run = await startRun({ chain, line, receivers, tally, ignored }, policy);
      const tell = async (words: string, does: () => Promise<string>): Promise<void> => {
        const at = new Date(run.time.now()).toISOString().slice(11, 19);
        story.push(`${at} ${words}`);
        story.push(`         → ${await does()}`);
      };
      try {
        for (const step of steps) await tell(step.words, () => step.play(run));
        await tell('it is looked at what was lost', async () => {
          await audit(run);
          return 'nothing';
        });
      } catch (error) {
        if (error instanceof Violation) throw new Loss(error, story);
        throw new Error([String(error), ...story].join('\n'), { cause: error });
      } finally {
        run.line.fault = undefined;
        run.crowd.leave();
        run.receivers.letGo();
        await run.desk.stop();
        tally.runs += 1;
      }
    },
    async stop() {
      await Promise.all([line.stop(), receivers.stop()]);
      await chain.stop();
    },
  };
};
