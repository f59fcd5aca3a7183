import { type Rule, deny, pass } from './rule.ts';

/** A pause of all sponsorship. */
export interface PauseFacts {
  /** Epoch ms. */
  readonly since: number;
  /** The operator's own words; null where he gave none. */
  readonly reason: string | null;
}

/** While the operator has paused all sponsorship nothing is signed, whoever pays. */
export const pauseRule: Rule<null, PauseFacts | null> = {
  type: 'pause',
  check: (_config, paused) =>
    paused === null
      ? pass('NOT_PAUSED')
      : deny('SPONSORSHIP_PAUSED', {
          pausedAt: paused.since,
          ...(paused.reason !== null && { reason: paused.reason }),
        }),
};
