import type { Page, Response } from "@playwright/test";

/** Compressed bytes of JavaScript. */
export type PageWeight = {
  /** What the page's HTML asks for, without which it does not work. */
  first: number;
  /** With what came by itself afterwards: charts, and what its links lead to. */
  whole: number;
};

/** Weighs a page that has loaded; `response`: its HTML. A script from the browser's cache weighs what it weighed. */
export async function weighPage(page: Page, response: Response | null): Promise<PageWeight> {
  const html = (await response?.text()) ?? "";
  const scripts = await page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .filter((entry) => entry instanceof PerformanceResourceTiming)
      .map(({ name, encodedBodySize }) => ({ path: new URL(name).pathname, bytes: encodedBodySize }))
      .filter(({ path }) => path.endsWith(".js")),
  );
  const sum = (some: typeof scripts) => some.reduce((bytes, script) => bytes + script.bytes, 0);
  return { first: sum(scripts.filter(({ path }) => html.includes(`src="${path}`))), whole: sum(scripts) };
}
