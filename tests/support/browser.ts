import { existsSync } from "node:fs";
import sparticuz from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright";

const installed = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
];

/** Headless Chromium: CHROMIUM_PATH, else an installed one, else the one inside an npm package. */
export async function openBrowser(): Promise<Browser> {
  const own = process.env.CHROMIUM_PATH ?? installed.find((path) => existsSync(path));
  const quiet = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ];
  return await chromium.launch({
    executablePath: own ?? (await sparticuz.executablePath()),
    args: own ? quiet : [...sparticuz.args, ...quiet],
  });
}
