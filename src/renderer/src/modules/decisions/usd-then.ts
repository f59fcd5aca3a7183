import { factsSchema } from '../../../../core/facts/facts.ts';
import type { DecisionRecord } from '../../../../shared/schema/decision.ts';

const { price } = factsSchema.shape;

/** US dollars per coin when the decision was made, decimal; empty if the price was unknown. */
export const usdThen = ({ facts }: Pick<DecisionRecord, 'facts'>): string =>
  price.safeParse((facts as { price?: unknown } | undefined)?.price).data?.usd ?? '';
