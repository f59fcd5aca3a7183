import { type Ref, onMounted, onUnmounted, watch } from 'vue';

/**
 * Keeps a part of a page visible while the parts above it are loading, until the operator scrolls, or presses a key or
 * a button.
 *
 * @param part returns the part's `id`; undefined to leave the page as it is
 */
export const usePartInSight = (page: Readonly<Ref<HTMLElement | null>>, part: () => string | undefined): void => {
  const show = (): void => {
    const id = part();
    if (id !== undefined) document.getElementById(id)?.scrollIntoView();
  };
  const observer = new ResizeObserver(show);
  const left = new AbortController();
  const follow = (): void => {
    observer.disconnect();
    if (page.value !== null && part() !== undefined) observer.observe(page.value);
  };
  onMounted(() => {
    follow();
    for (const input of ['wheel', 'pointerdown', 'keydown'] as const)
      window.addEventListener(input, () => observer.disconnect(), { passive: true, signal: left.signal });
  });
  watch(part, follow);
  onUnmounted(() => {
    left.abort();
    observer.disconnect();
  });
};
