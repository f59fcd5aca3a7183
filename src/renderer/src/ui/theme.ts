import type { GlobalThemeOverrides } from 'naive-ui';

/** naive-ui in the colours and type of tokens.css; it computes with them, so they cannot be CSS variables. */
export const themeOverrides = (isDark: boolean): GlobalThemeOverrides => {
  const accent = isDark ? '#93a8ff' : '#3552c8';
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
      bodyColor: isDark ? '#15171b' : '#f6f7f9',
      cardColor: isDark ? '#1c1f24' : '#ffffff',
      tableColor: isDark ? '#1c1f24' : '#ffffff',
      dividerColor: isDark ? '#2d3138' : '#e2e5ea',
      borderColor: isDark ? '#2d3138' : '#e2e5ea',
      textColorBase: isDark ? '#e6e8eb' : '#1b1f26',
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
    Table: {
      thColor: 'transparent',
      thTextColor: isDark ? '#9aa3af' : '#59616e',
      thFontWeight: '400',
      fontSizeSmall: '14px',
      thPaddingSmall: '6px 16px',
      tdPaddingSmall: '7px 16px',
      lineHeight: '1.5',
    },
  };
};
