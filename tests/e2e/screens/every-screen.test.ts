import { AxeBuilder } from "@axe-core/playwright";
import type { Page, ViewportSize } from "@playwright/test";
import { type Locale, languageTags, locales } from "@/app/_i18n/locales";
import { weighPage } from "../support/page-weight";
import { expect, test } from "../support/screen";
import { documentation, screens } from "../support/screens";
import { settle } from "../support/settle";
import { textsIn } from "../support/texts";

const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** Compressed JavaScript of a first load, in bytes. */
const MAX_FIRST_LOAD = 250_000;
const phone = { width: 390, height: 844 };
const desk = { width: 1280, height: 860 };
/**
 * Phones, tablets, every step between a tablet and a desk, for the menu at the side takes what a page has too little of,
 * and large screens. 640 is a desk at 200 %.
 */
const widths = [320, 390, 640, 768, 800, 900, 1024, 1100, 1200, 1280, 1440, 1920];
/**
 * Each language meets each theme and each size, and each theme each size: every pair, in four looks instead of eight.
 */
const looks: Record<Locale, { colorScheme: "light" | "dark"; size: ViewportSize }[]> = {
  en: [
    { colorScheme: "light", size: desk },
    { colorScheme: "dark", size: phone },
  ],
  zh: [
    { colorScheme: "dark", size: desk },
    { colorScheme: "light", size: phone },
  ],
};

/**
 * What axe found, short enough to read: the rule, and where. The console has no frames, and only its faults are looked
 * at.
 */
async function violations(page: Page): Promise<string[]> {
  const axe = new AxeBuilder({ page })
    .setLegacyMode()
    .options({ runOnly: WCAG, resultTypes: ["violations"] });
  return (await axe.analyze()).violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ""}`),
  );
}

const hiddenAtTheSide = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

for (const screen of [...screens, ...documentation]) {
  for (const locale of locales) {
    const name = `${screen.name} (${screen.role}, ${locale})`;
    test(`${name}: axe finds nothing in light and dark, on a desk and on a phone, nothing is logged, no width scrolls sideways, the first load is light`, async ({
      people,
      visit,
    }) => {
      const t = textsIn(locale);
      const { page, complaints, leave } = await visit(screen, { locale: languageTags[locale] });
      const { first } = await weighPage(page, screen.path(people));
      expect.soft(first).toBeGreaterThan(0);
      expect.soft(first).toBeLessThan(MAX_FIRST_LOAD);
      await settle(page, t);
      // Not what stands where something could not be loaded.
      await expect(page.getByText(t("common.errorTitle"))).toHaveCount(0);
      await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
      for (const width of widths) {
        await page.setViewportSize({ width, height: phone.height });
        // A page that measures itself takes a moment to follow.
        const message = `pixels beyond the right edge at ${width}`;
        await expect.poll(() => hiddenAtTheSide(page), { message }).toBe(0);
      }
      for (const { colorScheme, size } of looks[locale]) {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme });
        await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", colorScheme);
        await settle(page, t);
        expect.soft(await violations(page), `${colorScheme}, ${size.width} pixels wide`).toEqual([]);
      }
      expect.soft(complaints).toEqual([]);
      await leave();
    });
  }
}
