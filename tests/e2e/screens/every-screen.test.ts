import type { CDPSession, Page, ViewportSize } from "@playwright/test";
import { type Locale, languageTags, locales } from "@/app/_i18n/locales";
import { findViolations } from "../support/axe";
import { weighPage } from "../support/page-weight";
import { expect, test } from "../support/screen";
import { documentation, type Screen, screens } from "../support/screens";
import { settle } from "../support/settle";
import { textsIn } from "../support/texts";

/** The limit for the compressed JavaScript of a first load, in bytes. */
const MAX_FIRST_LOAD = 250_000;
const phone = { width: 390, height: 844 };
const desk = { width: 1280, height: 860 };
/**
 * Phones, tablets, desks, and all steps between tablet and desk, because the side menu takes width that a page needs
 * there; then large screens. 640 is a desk at 200 %.
 */
const widths = [320, 390, 640, 768, 800, 900, 1024, 1100, 1200, 1280, 1440, 1920];
/** Widths at which no column of a table is out of sight: the actor, the money and the cost are always there. */
const tableWidths = [800, 1280];
/**
 * A page that draws other parts at another width needs some frames for it. The test counts frames, not time, because a
 * busy machine draws fewer of them.
 */
const FRAMES_TO_FOLLOW = 120;

type ScreenLook = { colorScheme: "light" | "dark"; size: ViewportSize };
/**
 * All pairs of language, theme and size, in four looks instead of eight. The first look at a language applies all rules
 * of axe: once to the desk's page, once to the phone's page. The second look applies the rules whose result depends on
 * colours and sizes.
 */
const looks: Record<Locale, { first: ScreenLook; second: ScreenLook }> = {
  en: { first: { colorScheme: "light", size: desk }, second: { colorScheme: "dark", size: phone } },
  zh: { first: { colorScheme: "light", size: phone }, second: { colorScheme: "dark", size: desk } },
};
/** One screen of each sort: a form, a list, a dialog over a list, figures, a wide table, a long text. */
const SMOKE = ["sign-in", "overview", "keys", "key-create", "requests", "account", "prices", "docs-clients"];

const tagsOf = ({ name }: Screen) => (SMOKE.includes(name) ? { tag: "@smoke" } : {});

/**
 * Pixels beyond the right edge, for each width that has some. Pages are drawn at a tenth of their size, because only
 * their layout counts.
 */
async function findOverflows(page: Page, devtools: CDPSession): Promise<string[]> {
  const overflows: string[] = [];
  for (const width of widths) {
    const size = { width, height: phone.height, deviceScaleFactor: 1, mobile: false };
    await devtools.send("Emulation.setDeviceMetricsOverride", { ...size, scale: 0.1 });
    const { laidOut, beyond, tables } = await page.evaluate(async (frames) => {
      const beyondOf = (box: Element) => box.scrollWidth - box.clientWidth;
      const overflow = () => beyondOf(document.documentElement);
      /** Pixels of the widest table that its box hides. */
      const hidden = () =>
        Math.max(
          0,
          ...[...document.querySelectorAll("main table")].map((table) => {
            let box = table.parentElement;
            while (box && !["auto", "scroll"].includes(getComputedStyle(box).overflowX)) {
              box = box.parentElement;
            }
            return box ? beyondOf(box) : 0;
          }),
        );
      for (let frame = 0; frame === 0 || (frame < frames && overflow() > 0); frame++) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      return { laidOut: window.innerWidth, beyond: overflow(), tables: hidden() };
    }, FRAMES_TO_FOLLOW);
    expect(laidOut).toBe(width);
    if (beyond > 0) {
      overflows.push(`${beyond} pixels at ${width}`);
    }
    if (tables > 0 && tableWidths.includes(width)) {
      overflows.push(`${tables} pixels of a table at ${width}`);
    }
  }
  return overflows;
}

for (const screen of [...screens, ...documentation]) {
  for (const locale of locales) {
    const name = `${screen.name} (${screen.role}, ${locale})`;
    test(
      `${name}: axe finds nothing in light and dark, on a desk and on a phone, nothing is logged, no width scrolls sideways, the first load is light`,
      tagsOf(screen),
      async ({ people, visitAgain }) => {
        const t = textsIn(locale);
        const { page, devtools, complaints, leave } = await visitAgain(screen, {
          locale: languageTags[locale],
        });
        const lookAs = async ({ colorScheme, size }: ScreenLook) => {
          await page.setViewportSize(size);
          await page.emulateMedia({ colorScheme });
        };
        const { first, second } = looks[locale];
        await lookAs(first);
        const response = await page.goto(screen.path(people));
        await settle(page, t);
        const weight = await weighPage(page, response);
        expect.soft(weight.first).toBeGreaterThan(0);
        expect.soft(weight.first).toBeLessThan(MAX_FIRST_LOAD);
        // The page, not the error text of a part that could not be loaded.
        await expect(page.getByText(t("common.errorTitle"))).toHaveCount(0);
        await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
        await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", first.colorScheme);
        expect.soft(await findViolations(page, "all"), JSON.stringify(first)).toEqual([]);
        expect.soft(await findOverflows(page, devtools)).toEqual([]);
        await lookAs(second);
        await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", second.colorScheme);
        await settle(page, t);
        expect.soft(await findViolations(page, "of a look"), JSON.stringify(second)).toEqual([]);
        expect.soft(complaints).toEqual([]);
        await leave();
      },
    );
  }
}
