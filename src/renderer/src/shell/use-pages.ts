import { type ComputedRef, computed } from 'vue';
import { useDesk } from '../desk/desk-store.ts';
import { type Page, pages } from './pages.ts';

/** The pages that there are: a review has no desk to manage. */
export const usePages = (): ComputedRef<readonly Page[]> => {
  const desk = useDesk();
  return computed(() => (desk.info?.review === undefined ? pages : pages.filter(({ inReview }) => inReview)));
};
