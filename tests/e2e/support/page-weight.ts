import type { Page, Response } from "@playwright/test";

/** Compressed bytes of JavaScript. */
export type PageWeight = {
  /** Scripts that the page's HTML requests, without which it does not work. */
  first: number;
  /** With the scripts that load by themselves afterwards: charts, and the targets of its links. */
  whole: number;
};

/** Weighs a loaded page; `response`: its HTML. A script from the browser's cache counts with its original weight. */
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
