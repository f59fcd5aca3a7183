import { type Ref, onUnmounted, ref } from 'vue';
import { useRouter } from 'vue-router';

/** Names under which the tab stores the scripts that it was reloaded from, and that it was just reloaded. */
const RELOADED_FROM = 'gasdesk.reloadedFrom';
const JUST_RELOADED = 'gasdesk.justReloaded';

/** The script of this page. Its name contains the hash of its content. */
const ownScript = (): string => document.querySelector('script[type="module"]')?.getAttribute('src') ?? '';

/** True if the service has another console than this page, because it was upgraded while the page was open. */
const isReplaced = async (): Promise<boolean> => {
  try {
    const response = await fetch(window.location.pathname, { cache: 'no-store' });
    return response.ok && !(await response.text()).includes(ownScript());
  } catch {
    return false;
  }
};

/** Why a part of this page could not be loaded: the service has another console now, or it did not answer. */
type Missing = 'upgraded' | 'unanswered';

interface Upgrade {
  /** Undefined until a part of this page could not be loaded. The browser may not load that part a second time. */
  readonly missing: Ref<Missing | undefined>;
  /** True if this page was loaded again because of an upgrade. */
  readonly isReloaded: Ref<boolean>;
  readonly reload: () => void;
}

/**
 * Watches for parts of the page that could not be loaded, above all because an upgraded service no longer has them.
 * After an upgrade, a page that cannot be opened is loaded again, once. Elsewhere, something may be typed in, so the
 * operator decides when.
 */
export const useUpgrade = (): Upgrade => {
  const missing = ref<Missing>();
  const isReloaded = ref(sessionStorage.getItem(JUST_RELOADED) !== null);
  sessionStorage.removeItem(JUST_RELOADED);
  const check = async (): Promise<void> => {
    if (missing.value !== 'upgraded') missing.value = (await isReplaced()) ? 'upgraded' : 'unanswered';
  };
  const onLoadError = (): void => void check();
  const reload = (): void => {
    if (missing.value === 'upgraded') sessionStorage.setItem(JUST_RELOADED, 'yes');
    window.location.reload();
  };
  /** An earlier reload did not help, as with a proxy that still answers with the earlier page. */
  const wasReloaded = (): boolean => {
    const before = sessionStorage.getItem(RELOADED_FROM) ?? '';
    if (before.includes(ownScript())) return true;
    sessionStorage.setItem(RELOADED_FROM, before + ownScript());
    return false;
  };

  window.addEventListener('vite:preloadError', onLoadError);
  onUnmounted(() => window.removeEventListener('vite:preloadError', onLoadError));
  const router = useRouter();
  onUnmounted(
    router.onError(async (_error, to) => {
      await check();
      if (missing.value !== 'upgraded' || wasReloaded()) return;
      window.history.replaceState(null, '', router.resolve(to.fullPath).href);
      reload();
    }),
  );
  return { missing, isReloaded, reload };
};
