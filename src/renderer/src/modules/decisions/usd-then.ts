import { factsSchema } from '../../../../core/facts/facts.ts';
import type { DecisionRecord } from '../../../../shared/schema/decision.ts';

const { price } = factsSchema.shape;

/** US dollars for one coin at the time of the decision, decimal; empty if unknown then. */
export const usdThen = ({ facts }: Pick<DecisionRecord, 'facts'>): string =>
  price.safeParse((facts as { price?: unknown } | undefined)?.price).data?.usd ?? '';
