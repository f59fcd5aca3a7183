import * as lucide from 'lucide-vue-next';

/** The only icon set. An icon always has a word next to it, so icons are hidden from screen readers. */
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
  error: lucide.TriangleAlert,
  paused: lucide.CirclePause,
  tokens: lucide.Coins,
  costs: lucide.ChartPie,
  locked: lucide.Lock,
  unlocked: lucide.LockOpen,
  copy: lucide.Copy,
  key: lucide.KeyRound,
  add: lucide.Plus,
  live: lucide.Radio,
  lost: lucide.Unplug,
  activity: lucide.Activity,
  events: lucide.Webhook,
  next: lucide.ChevronRight,
  pending: lucide.CircleDashed,
  close: lucide.X,
  search: lucide.Search,
  inspect: lucide.Microscope,
  exit: lucide.LogOut,
  tick: lucide.Check,
  signed: lucide.PenLine,
  mined: lucide.Box,
  terminal: lucide.SquareTerminal,
};

export type IconName = keyof typeof icons;
