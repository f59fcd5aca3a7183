import { type Ref, onMounted, onUnmounted, ref, watch } from 'vue';
import { useRouter } from 'vue-router';
import { isTyping } from '../ui/is-typing.ts';
import { usePages } from './pages.ts';

const isPaletteKey = ({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !shiftKey && !altKey;

/** True for a letter that is meant for the command palette, but was typed before its input had the focus. */
const isEarlyLetter = ({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean =>
  key.length === 1 && !ctrlKey && !metaKey && !altKey && !(target as HTMLElement).matches('[data-palette]');

interface Shortcuts {
  readonly isHelpShown: Ref<boolean>;
  readonly isPaletteShown: Ref<boolean>;
  /** Text in the command palette. Its first letters may be typed before its input has the focus. */
  readonly paletteText: Ref<string>;
}

/**
 * Keys that work on every page: Ctrl+K or Cmd+K for the command palette, `g` and a letter for a page, `/` for the
 * page's search field, `?` for the list of keys.
 */
export const useShortcuts = (): Shortcuts => {
  const router = useRouter();
  const pages = usePages();
  const isHelpShown = ref(false);
  const isPaletteShown = ref(false);
  const paletteText = ref('');
  watch(isPaletteShown, () => (paletteText.value = ''));
  let isGoing = false;

  const press = (event: KeyboardEvent): void => {
    if (isPaletteKey(event)) {
      event.preventDefault();
      isPaletteShown.value = !isPaletteShown.value;
    }
    if (isPaletteShown.value && isEarlyLetter(event)) {
      event.preventDefault();
      paletteText.value += event.key;
      return;
    }
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = isGoing ? pages.value.find(({ key }) => key === event.key) : undefined;
    isGoing = event.key === 'g' && !isGoing;
    if (page !== undefined) void router.push(page.link);
    if (event.key === '?') isHelpShown.value = true;
    if (event.key === '/') {
      const field = document.querySelector<HTMLElement>('[data-search] input');
      if (field === null) return;
      event.preventDefault();
      field.focus();
    }
  };
  onMounted(() => window.addEventListener('keydown', press));
  onUnmounted(() => window.removeEventListener('keydown', press));
  return { isHelpShown, isPaletteShown, paletteText };
};
