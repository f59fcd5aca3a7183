import type { GlobalThemeOverrides } from 'naive-ui';
import { palettes } from './palette.ts';

/**
 * naive-ui's theme with the colours and fonts of tokens.css. naive-ui computes with them, so they cannot be CSS
 * variables.
 */
export const themeOverrides = (isDark: boolean): GlobalThemeOverrides => {
  const { accent, background, surface, line, control, text, quiet, sponsored, denied, error } =
    palettes[isDark ? 'dark' : 'light'];
  return {
    common: {
      fontFamily: 'var(--font)',
      fontFamilyMono: 'var(--font-mono)',
      fontSize: '14px',
      borderRadius: '6px',
      primaryColor: accent,
      primaryColorHover: accent,
      primaryColorPressed: accent,
      primaryColorSuppl: accent,
      successColor: sponsored,
      warningColor: denied,
      errorColor: error,
      errorColorHover: error,
      errorColorPressed: error,
      bodyColor: background,
      cardColor: surface,
      tableColor: surface,
      popoverColor: isDark ? '#262b33' : surface,
      dividerColor: line,
      borderColor: line,
      textColorBase: text,
      textColor3: quiet,
      placeholderColor: isDark ? '#8b94a1' : '#666e7a',
    },
    Alert: {
      titleFontWeight: '600',
      padding: '10px 16px',
      iconMargin: '10px 8px 0 16px',
      iconSize: '20px',
      colorWarning: isDark ? '#26221a' : '#fdf8ee',
      borderWarning: `1px solid ${isDark ? '#4d3f26' : '#efdfbd'}`,
      colorError: isDark ? '#2a1d1d' : '#fdf2f1',
      borderError: `1px solid ${isDark ? '#57302d' : '#f0cac7'}`,
    },
    // White on the light theme's accent colour, and near black on the dark theme's. Both have a contrast of at least
    // 4.5:1.
    Button: { textColorPrimary: isDark ? '#10131a' : '#ffffff', textColorHoverPrimary: isDark ? '#10131a' : '#ffffff' },
    // The edges of controls have a contrast of at least 3:1.
    Checkbox: { border: `1px solid ${control}` },
    Radio: { boxShadow: `inset 0 0 0 1px ${control}` },
    InternalSelection: { border: `1px solid ${control}`, color: surface },
    Input: { border: `1px solid ${control}`, color: surface },
    Form: { labelTextColor: text, labelFontWeight: '500', feedbackTextColorError: error },
    Tabs: { tabTextColorLine: quiet },
    Table: {
      thColor: 'transparent',
      thTextColor: quiet,
      thFontWeight: '400',
      fontSizeSmall: '14px',
      thPaddingSmall: '6px 16px',
      tdPaddingSmall: '7px 16px',
      lineHeight: '1.5',
    },
  };
};
