import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import type { AxeResults, RunOptions } from "axe-core";

declare global {
  interface Window {
    axe: { run: (context: Document, options: RunOptions) => Promise<AxeResults> };
  }
}

const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** Rules whose result may differ between two looks at the same elements: by colours, sizes and positions. */
const OF_A_LOOK = ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"];

let source: string | undefined;

/**
 * The violations that axe finds, in short form: the rule, and the element. The console has no frames. `rules`: all
 * rules, or those whose result may differ between two looks at one page.
 */
export async function findViolations(page: Page, rules: "all" | "of a look"): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) {
    source ??= readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    await page.evaluate(source);
  }
  const options: RunOptions = {
    runOnly: rules === "all" ? { type: "tag", values: WCAG } : { type: "rule", values: OF_A_LOOK },
    resultTypes: ["violations"],
  };
  return await page.evaluate(async (runOptions) => {
    const { violations } = await window.axe.run(document, runOptions);
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ""}`),
    );
  }, options);
}
