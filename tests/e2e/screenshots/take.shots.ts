/**
 * `npm run screenshots`: pictures for docs/screenshots, not a test. To look at more, name a folder:
 * `SHOTS=folder SCREENS=overview,keys WIDTHS=390,800,1280,1920 LANGUAGES=en,zh THEMES=light FULL=1 npm run screenshots`;
 * `FULL` takes the whole page, not only what the window shows.
 */
import type { BrowserContextOptions } from "@playwright/test";
import { prepare } from "../support/context";
import { expect, test } from "../support/flow";
import { screens } from "../support/screens";
import { settle } from "../support/settle";
import { seed } from "./seed";

const heights: Record<number, number> = { 390: 844, 1280: 860 };
const tags: Record<string, string> = { en: "en-US", zh: "zh-CN" };
/** The screens that docs/screenshots also shows on a phone. */
const onPhone = ["overview", "keys", "requests", "videos"];

const { SHOTS, SCREENS, WIDTHS, FULL, LANGUAGES = "en", THEMES = "light,dark" } = process.env;
const words = (list: string) => list.split(",");
const chosen = screens.filter(({ name }) => !SCREENS || words(SCREENS).includes(name));

type Shot = { theme: "light" | "dark"; width: number; language: string };

/** The pictures of docs/screenshots have short names; others say all of how they were taken. */
function fileOf(name: string, { theme, width, language }: Shot): string {
  return SHOTS
    ? `${SHOTS}/${name}-${width}-${language}-${theme}.png`
    : `docs/screenshots/${name}${width === 390 ? "-phone" : ""}-${theme}.png`;
}

const usualWidths = (name: string) => (onPhone.includes(name) ? [1280, 390] : [1280]);
const widthsOf = (name: string) => (WIDTHS ? words(WIDTHS).map(Number) : usualWidths(name));

const shots = chosen.flatMap((screen) =>
  (words(THEMES) as Shot["theme"][]).flatMap((theme) =>
    words(LANGUAGES).flatMap((language) =>
      widthsOf(screen.name).map((width) => {
        const look = { theme, width, language };
        return { screen, ...look, file: fileOf(screen.name, look) };
      }),
    ),
  ),
);

test("pictures of every screen in both themes", async ({
  browser,
  operator,
  playwright,
  upstream,
  baseURL,
  t,
}) => {
  const people = await seed(operator, { request: playwright.request, upstream });
  const take = async ({ screen, theme, width, language, file }: (typeof shots)[number]) => {
    const viewport = { width, height: heights[width] ?? 1_000 };
    const look: BrowserContextOptions = { viewport, colorScheme: theme, timezoneId: "Asia/Shanghai" };
    const context = await browser.newContext({
      ...look,
      ...(baseURL && { baseURL }),
      ...people.sessions[screen.role],
      locale: tags[language] ?? language,
    });
    await prepare(context, { prefetches: false });
    const page = await context.newPage();
    await page.goto(screen.path(people));
    await settle(page, t);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await page.screenshot({ path: file, fullPage: Boolean(FULL) });
    await context.close();
  };
  // Two at a time, for two cores.
  const waiting = shots.values();
  const takeAll = async () => {
    for (const shot of waiting) {
      await take(shot);
    }
  };
  await Promise.all([takeAll(), takeAll()]);
});
