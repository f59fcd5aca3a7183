export { exactWei, shownAmount, shownDecimal } from '../../../shared/words/amount.ts';
