import {
  type CSSVariablesResolver,
  createTheme,
  DEFAULT_THEME,
  darken,
  type MantineColorsTuple,
} from "@mantine/core";

/** The accent. Charts, states and links of the product use it; no state of a call does. */
const brand: MantineColorsTuple = [
  "#e8f5f8",
  "#d2e9ef",
  "#a5d4e0",
  "#74bdd0",
  "#4ca9c1",
  "#329bb7",
  "#238dab",
  "#137792",
  "#0d6680",
  "#084c60",
];

export const theme = createTheme({
  colors: { brand },
  primaryColor: "brand",
  // White text on it has a contrast of 6.5 in both schemes; the default shades stay under WCAG's 4.5.
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  fontFamily:
    'var(--font-text), system-ui, -apple-system, "Segoe UI", "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif',
  fontFamilyMonospace:
    'var(--font-code), ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace',
  headings: { fontWeight: "640" },
});

const { gray, red, orange, yellow, green, teal, blue, grape } = DEFAULT_THEME.colors;
const colors = { gray, red, orange, yellow, green, teal, blue, grape, brand };

/** The text colour of tinted surfaces (badges, alerts, quiet buttons). Mantine's is too faint for WCAG AA. */
const textOnTint = (shade: number, toBlack = 0) =>
  Object.fromEntries(
    Object.entries(colors).flatMap(([color, shades]) => {
      const value = darken(shades?.[shade] ?? "", toBlack);
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
    "--mantine-color-anchor": "#0b5a71",
    "--page": "#f5f6f7",
  },
  dark: {
    ...textOnTint(2),
    "--mantine-color-text": "#dfe1e4",
    "--mantine-color-dimmed": "#b4b8bd",
    "--mantine-color-placeholder": "#a6abb1",
    "--mantine-color-error": "#ff9a9a",
    "--mantine-color-anchor": "#8fd3e4",
    "--page": "var(--mantine-color-dark-8)",
  },
});
