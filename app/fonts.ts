import localFont from "next/font/local";

// Next measures these files and makes the system's fonts, which show until they have come, equally wide. Chinese is in
// the system's fonts: a packaged one would be larger than the console.
const text = localFont({
  src: "../node_modules/@fontsource-variable/geist/files/geist-latin-wght-normal.woff2",
  weight: "100 900",
  variable: "--font-text",
});

const code = localFont({
  src: "../node_modules/@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal.woff2",
  weight: "100 900",
  variable: "--font-code",
  preload: false,
});

/** For the document's root: app/theme.ts names the two variables. */
export const fontVariables = `${text.variable} ${code.variable}`;
