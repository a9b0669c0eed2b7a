import type { Page, Request } from "@playwright/test";

/** Compressed bytes of JavaScript. */
export type PageWeight = {
  /** What the page's HTML asks for, without which it does not work. */
  first: number;
  /** With what came by itself afterwards: charts, and what its links lead to. */
  whole: number;
};

/** Loads a page into a browser that has nothing of it yet. */
export async function weighPage(page: Page, path: string): Promise<PageWeight> {
  const scripts: Request[] = [];
  page.on("requestfinished", (request) => {
    if (request.resourceType() === "script") {
      scripts.push(request);
    }
  });
  const response = await page.goto(path, { waitUntil: "networkidle" });
  const html = (await response?.text()) ?? "";
  const weights = await Promise.all(
    scripts.map(async (request) => ({
      isFirst: html.includes(`src="${new URL(request.url()).pathname}`),
      bytes: (await request.sizes()).responseBodySize,
    })),
  );
  const sum = (of: typeof weights) => of.reduce((bytes, script) => bytes + script.bytes, 0);
  return { first: sum(weights.filter(({ isFirst }) => isFirst)), whole: sum(weights) };
}
