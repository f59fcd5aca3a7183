export {
  type LimitWords,
  type SpendingLimit,
  cycleError,
  cycleMs,
  isInDollars,
  limitAllowance,
  limitSentence,
  limitSetup,
  limitUpdate,
  thresholdError,
  typedLimitUpdate,
  updatedLimit,
} from './data.ts';
export {
  type LimitRule,
  addsUp,
  limitAccount,
  limitAmount,
  limitReservations,
  limitUnits,
  spendingLimit,
  thresholdUnits,
} from './spending-limit.ts';
