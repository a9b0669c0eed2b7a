import { readdirSync, readFileSync } from "node:fs";
import { type Browser, chromium } from "playwright";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { browserOptions, prepareBrowser } from "@/tests/support/browser";

let browser: Browser;

beforeAll(async () => {
  vi.stubEnv("CHROMIUM_PATH", "");
  await prepareBrowser();
  browser = await chromium.launch(browserOptions());
});
afterAll(async () => {
  await browser.close();
  vi.unstubAllEnvs();
});

/** The files that the processes of the browser have mapped or open. */
function filesOf(executable: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const maps = readFileSync(`/proc/${pid}/maps`, "utf8");
        return maps.includes(executable)
          ? maps.split("\n").map((line) => line.replace(/^.*? (?=\/)/, ""))
          : [];
      } catch {
        // The process has ended meanwhile, or belongs to another user.
        return [];
      }
    });
}

test("the browser survives the end of its contexts, concurrent and consecutive", async () => {
  for (const round of [1, 2]) {
    const contexts = await Promise.all([1, 2, 3, 4].map(() => browser.newContext()));
    const pages = await Promise.all(contexts.map((context) => context.newPage()));
    for (const page of pages) {
      await page.setContent(`<h1>round ${round}</h1>`);
      expect(await page.locator("h1").textContent()).toBe(`round ${round}`);
    }
    await Promise.all(contexts.map((context) => context.close()));
  }
  expect(browser.isConnected()).toBe(true);
});

test("the browser, its libraries other than the C library, and its fonts come from the packages", async () => {
  const page = await browser.newPage();
  await page.setContent("<p>Latin, 中文</p><code>code</code>");
  await page.screenshot();
  const { executablePath = "" } = browserOptions();
  expect(executablePath).toContain("/node_modules/");
  const files = [...new Set(filesOf(executablePath))];
  const foreign = files.filter((file) => !file.includes("/node_modules/"));
  expect(files.filter((file) => /lib(nss3|nspr4|expat)\.so/.test(file))).toHaveLength(3);
  expect(foreign.filter((file) => /\.(ttf|otf|ttc|pcf)|lib(nss|nspr|expat)/.test(file))).toEqual([]);
  await page.close();
});

test("a Chinese letter is as wide as it is high, as on every reader's screen", async () => {
  const page = await browser.newPage();
  await page.setContent(`<span style="font: 20px sans-serif">当月额度</span>`);
  expect((await page.locator("span").boundingBox())?.width).toBe(80);
  await page.close();
});
