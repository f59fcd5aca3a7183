export { exactWei, shownAmount } from '../../../shared/words/amount.ts';
