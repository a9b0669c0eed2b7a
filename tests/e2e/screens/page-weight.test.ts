import { number, table, writeBlock } from "@/tests/load/tables";
import { weighPage } from "../support/page-weight";
import { expect, test } from "../support/screen";
import { screens } from "../support/screens";

const MAX_BYTES = 250_000;

const kilobytes = (bytes: number) => number(bytes / 1_000, 1);

test("no page's first load has more than 250 kB of compressed JavaScript", async ({ people, visit }) => {
  test.setTimeout(300_000);
  const rows: string[][] = [];
  for (const screen of screens) {
    const { page, leave } = await visit(screen);
    const { first, whole } = await weighPage(page, screen.path(people));
    await leave();
    rows.push([screen.name, kilobytes(first), kilobytes(whole)]);
    expect.soft(first, screen.name).toBeGreaterThan(0);
    expect.soft(first, screen.name).toBeLessThan(MAX_BYTES);
  }
  if (process.env.PAGE_WEIGHT_WRITE) {
    writeBlock("pages", table(["screen", "first load kB", "with what comes later kB"], rows));
  }
});
