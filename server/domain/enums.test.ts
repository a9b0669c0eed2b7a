import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as facts from "./enums";

/** The options of a vendor's family of models are separate facts, even if they equal all options of clients. */
const ofVendors = /^server\/upstream\/videos\/\w+-spec\.ts$/;

const sources = ["server", "app"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /(?<!\.test)\.tsx?$/.test(path))
    .map((path) => join(folder, path))
    .filter((path) => path !== "server/domain/enums.ts" && !ofVendors.test(path))
    .map((path) => ({ path, text: readFileSync(path, "utf8") })),
);

/** Two or more values in a row, as in a list or a union of types. */
const ROW = /(?:"[^"\n]*"|\d+)(?:\s*[,|]\s*(?:"[^"\n]*"|\d+))+/g;

const rows = sources.flatMap(({ path, text }) =>
  [...text.matchAll(ROW)].map(([row]) => ({
    path,
    members: new Set(row.split(/[,|]/).map((member) => member.trim().replaceAll('"', ""))),
  })),
);

const lists = Object.entries(facts).flatMap(([name, fact]) => (Array.isArray(fact) ? [{ name, fact }] : []));

test.each(lists)("$name is written once, and no other file lists its members", ({ fact }) => {
  const members = fact.map(String);
  const repeated = rows.filter((row) => members.every((member) => row.members.has(member)));
  expect(repeated.map(({ path }) => path)).toEqual([]);
});
