import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as facts from "./facts";

/** What a family of a vendor's models can make is its own fact, though it may be all that a client can ask for. */
const ofVendors = /^server\/upstream\/videos\/\w+-spec\.ts$/;

const sources = ["server", "app"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /(?<!\.test)\.tsx?$/.test(path))
    .map((path) => join(folder, path))
    .filter((path) => path !== "server/base/facts.ts" && !ofVendors.test(path))
    .map((path) => ({ path, text: readFileSync(path, "utf8") })),
);

/** Two values or more in a row, as a list or as a union of types has them. */
const ROW = /(?:"[^"\n]*"|\d+)(?:\s*[,|]\s*(?:"[^"\n]*"|\d+))+/g;

const rows = sources.flatMap(({ path, text }) =>
  [...text.matchAll(ROW)].map(([row]) => ({
    path,
    members: new Set(row.split(/[,|]/).map((member) => member.trim().replaceAll('"', ""))),
  })),
);

const lists = Object.entries(facts).flatMap(([name, fact]) => (Array.isArray(fact) ? [{ name, fact }] : []));

test.each(lists)("$name is written once, and nobody lists its members again", ({ fact }) => {
  const members = fact.map(String);
  const again = rows.filter((row) => members.every((member) => row.members.has(member)));
  expect(again.map(({ path }) => path)).toEqual([]);
});
