import * as lucide from 'lucide-vue-next';

/** The one icon set. An icon never stands without a word, so it is hidden from readers. */
export const icons = {
  overview: lucide.Gauge,
  decisions: lucide.ListChecks,
  dapps: lucide.Wallet,
  settings: lucide.Settings,
  bell: lucide.Bell,
  check: lucide.CircleCheck,
  info: lucide.Info,
  play: lucide.Play,
  cross: lucide.CircleX,
  fault: lucide.TriangleAlert,
  paused: lucide.CirclePause,
  tokens: lucide.Coins,
  locked: lucide.Lock,
  unlocked: lucide.LockOpen,
  copy: lucide.Copy,
  key: lucide.KeyRound,
  add: lucide.Plus,
  live: lucide.Radio,
  lost: lucide.Unplug,
  activity: lucide.Activity,
  next: lucide.ChevronRight,
  close: lucide.X,
  search: lucide.Search,
  inspect: lucide.Microscope,
  exit: lucide.LogOut,
};

/** Name of an icon. */
export type IconName = keyof typeof icons;
