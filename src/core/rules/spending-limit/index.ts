export {
  type LimitWords,
  type SpendingLimit,
  cycleFault,
  cycleMs,
  isInDollars,
  limitSentence,
  limitSetup,
  limitUpdate,
  thresholdFault,
  typedLimitUpdate,
  updatedLimit,
} from './data.ts';
export { type LimitRule, addsUp, limitAccount, limitUnits, spendingLimit, thresholdUnits } from './spending-limit.ts';
