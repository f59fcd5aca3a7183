import { useOsTheme } from 'naive-ui';
import { type ComputedRef, computed } from 'vue';

/**
 * Colours for code that cannot use the variables in tokens.css: naive-ui computes with colours, and charts are painted.
 * They must equal those in tokens.css.
 */
export const palettes = {
  light: {
    accent: '#3552c8',
    background: '#f6f7f9',
    surface: '#ffffff',
    line: '#e2e5ea',
    control: '#858d99',
    text: '#1b1f26',
    quiet: '#59616e',
    sponsored: '#17713f',
    denied: '#9a5200',
    error: '#b3261e',
  },
  dark: {
    accent: '#93a8ff',
    background: '#15171b',
    surface: '#1c1f24',
    line: '#2d3138',
    control: '#6f7885',
    text: '#e6e8eb',
    quiet: '#9aa3af',
    sponsored: '#5fcf91',
    denied: '#efb05c',
    error: '#ff8f86',
  },
} as const;

export type Palette = (typeof palettes)[keyof typeof palettes];

/** The colours for the system's theme. They change with the theme. */
export const usePalette = (): ComputedRef<Palette> => {
  const osTheme = useOsTheme();
  return computed(() => palettes[osTheme.value === 'dark' ? 'dark' : 'light']);
};
