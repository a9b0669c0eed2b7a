import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { names } from "@/tests/load/contenders/contenders";
import { parts } from "@/tests/load/parts/parts";
import { ageReader } from "@/tests/load/workloads/event-ages";

const page = readFileSync("docs/benchmarks.md", "utf8");

test("docs/benchmarks.md has a command and a table for each part of the bench", () => {
  const partNames = Object.keys(parts);
  expect(partNames.filter((part) => !page.includes(`npm run bench -- ${part} `))).toEqual([]);
  const tables = [...page.matchAll(/<!-- bench:([\w-]+) -->/g)].map(([, name = ""]) => name);
  // The table of the console's pages has its own command.
  expect(tables.toSorted()).toEqual([...partNames, "pages"].toSorted());
});

test("docs/benchmarks.md describes each server under test", () => {
  expect(names.filter((name) => !page.includes(` | \`${name}\` | `))).toEqual([]);
});

test("the age of an event counts once, wherever its bytes are cut", () => {
  const written = process.hrtime.bigint();
  const events = `data: {"choices":[{"delta":{"content":" ${written}"}}]}\n\n`.repeat(2);
  for (let cut = 0; cut <= events.length; cut++) {
    const ages: number[] = [];
    const read = ageReader((age) => void ages.push(age));
    read(Buffer.from(events.slice(0, cut)));
    read(Buffer.from(events.slice(cut)));
    expect(ages.filter((age) => age > 0)).toHaveLength(2);
  }
});
