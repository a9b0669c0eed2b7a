import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import en from "@/app/_messages/en/refusals.json";
import zh from "@/app/_messages/zh/refusals.json";
import { reasons } from "./refusal";

/** The console's own reasons for failed calls, which no room throws: server/console/trpc.ts, failure.ts. */
const consoles = ["forbidden", "internal", "offline", "rate_limited", "unavailable", "unreachable"];

const sources = readdirSync("server", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && path !== "refusal.ts")
  .map((path) => readFileSync(join("server", path), "utf8"))
  .join("\n");

test.each(Object.entries({ en, zh }))(
  "every reason has its text in %s, filled with its values, and each text has a reason",
  (_language, texts) => {
    expect(Object.keys(texts).sort()).toEqual([...Object.keys(reasons), ...consoles].sort());
    for (const [reason, names] of Object.entries(reasons)) {
      const text = texts[reason as keyof typeof reasons];
      const filled = [...text.matchAll(/\{(\w+)/g)].map(([, name]) => name);
      expect([...new Set(filled)].sort(), reason).toEqual([...names].sort());
    }
  },
);

test("every reason is used by a refusal", () => {
  expect(Object.keys(reasons).filter((reason) => !sources.includes(`"${reason}"`))).toEqual([]);
});
