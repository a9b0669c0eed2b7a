import {
  type CSSVariablesResolver,
  createTheme,
  DEFAULT_THEME,
  darken,
  type MantineColor,
} from "@mantine/core";

export const theme = createTheme({
  primaryColor: "indigo",
  // White text on it has a contrast of 5.7 in both schemes; the default shades stay under WCAG's 4.5.
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace',
  headings: { fontWeight: "650" },
});

const colors: MantineColor[] = [
  "gray",
  "red",
  "orange",
  "yellow",
  "green",
  "teal",
  "blue",
  "indigo",
  "grape",
];

/** The text colour of tinted surfaces (badges, alerts, quiet buttons). Mantine's is too faint for WCAG AA. */
const textOnTint = (shade: number, toBlack = 0) =>
  Object.fromEntries(
    colors.flatMap((color) => {
      const value = darken(DEFAULT_THEME.colors[color]?.[shade] ?? "", toBlack);
      return [
        [`--mantine-color-${color}-light-color`, value],
        [`--mantine-color-${color}-outline`, value],
        [`--mantine-color-${color}-text`, value],
      ];
    }),
  );

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    // Even the darkest green, orange and yellow are too faint on their own tints.
    ...textOnTint(9, 0.3),
    "--mantine-color-dimmed": "#4d545b",
    "--mantine-color-placeholder": "#5c636a",
    "--mantine-color-error": "#c01f1f",
    "--mantine-color-anchor": "#364fc7",
  },
  dark: {
    ...textOnTint(2),
    "--mantine-color-dimmed": "#b4b8bd",
    "--mantine-color-placeholder": "#a6abb1",
    "--mantine-color-error": "#ff9a9a",
    "--mantine-color-anchor": "#a5b8ff",
  },
});
