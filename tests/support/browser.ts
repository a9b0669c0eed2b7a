import { existsSync } from "node:fs";
import sparticuz from "@sparticuz/chromium";
import { chromium, type LaunchOptions } from "playwright";

const installed = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** The sandbox of Chromium needs what containers and root do not have; only pages of ours are opened. */
const quiet = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Which Chromium to start: CHROMIUM_PATH, else an installed one, else the one inside an npm package (Linux). */
export async function browserOptions(): Promise<LaunchOptions> {
  const own = [process.env.CHROMIUM_PATH, ...installed, chromium.executablePath()].find(
    (path) => path && existsSync(path),
  );
  return {
    executablePath: own ?? (await sparticuz.executablePath()),
    args: own ? quiet : [...sparticuz.args, ...quiet],
  };
}
