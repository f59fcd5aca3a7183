export { shorten } from '../../../shared/words/shorten.ts';
