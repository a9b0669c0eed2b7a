/** `npm run page-weight`: a table for docs/benchmarks.md, not a test. */
import { number, table, writeBlock } from "@/tests/load/tables";
import { weighPage } from "../support/page-weight";
import { test } from "../support/screen";
import { screens } from "../support/screens";

const kilobytes = (bytes: number) => number(bytes / 1_000, 1);

test.use({ prefetches: true });

test("the JavaScript of every page's first load", async ({ people, visit }) => {
  const rows: string[][] = [];
  for (const screen of screens) {
    const { page, leave } = await visit(screen);
    const response = await page.goto(screen.path(people), { waitUntil: "networkidle" });
    const { first, whole } = await weighPage(page, response);
    await leave();
    rows.push([screen.name, kilobytes(first), kilobytes(whole)]);
  }
  writeBlock("pages", table(["screen", "first load kB", "with what comes later kB"], rows));
});
