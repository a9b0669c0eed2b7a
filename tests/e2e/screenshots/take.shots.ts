/** `npm run screenshots`: pictures for docs/screenshots, not a test. */
import type { BrowserContextOptions } from "@playwright/test";
import { prepare } from "../support/context";
import { expect, test } from "../support/flow";
import { type Screen, screens } from "../support/screens";
import { settle } from "../support/settle";
import { seed } from "./seed";

const desktop = { width: 1280, height: 860 };
const phone = { width: 390, height: 844 };
/** The screens that are also shown on a phone. */
const onPhone = ["overview", "keys", "requests", "videos"];

type Shot = Screen & { theme: "light" | "dark"; file: string; viewport: typeof phone };

const shots: Shot[] = screens.flatMap((screen) =>
  (["light", "dark"] as const).flatMap((theme) => [
    { ...screen, theme, file: `${screen.name}-${theme}.png`, viewport: desktop },
    ...(onPhone.includes(screen.name)
      ? [{ ...screen, theme, file: `${screen.name}-phone-${theme}.png`, viewport: phone }]
      : []),
  ]),
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
  for (const { role, path, theme, file, viewport } of shots) {
    const look: BrowserContextOptions = { viewport, colorScheme: theme, timezoneId: "Asia/Shanghai" };
    const context = await browser.newContext({
      ...look,
      ...(baseURL && { baseURL }),
      ...people.sessions[role],
      locale: "en-US",
    });
    await prepare(context, { prefetches: false });
    const page = await context.newPage();
    await page.goto(path(people));
    await settle(page, t);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await page.screenshot({ path: `docs/screenshots/${file}` });
    await context.close();
  }
});
