import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import en from "@/app/_messages/en/requests.json";
import zh from "@/app/_messages/zh/requests.json";

const source = readFileSync(new URL("../../../server/base/error-kinds.ts", import.meta.url), "utf8");
const slugs = [...source.matchAll(/slug: "(\w+)"/g)].map(([, slug]) => slug ?? "");

test.each([
  ["en", en],
  ["zh", zh],
])("every refusal of a call has its text and its advice in %s", (_, { errors }) => {
  expect(slugs.length).toBeGreaterThan(30);
  expect(slugs.filter((slug) => !(slug in errors))).toEqual([]);
});
