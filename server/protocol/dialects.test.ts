import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { usualCapabilities } from "./capabilities";

/** The files of a dialect's folder: each translation is in the file where a reader expects it (ARCHITECTURE.md). */
const PARTS = [
  "request-in",
  "request-out",
  "answer-in",
  "answer-out",
  "stream-in",
  "stream-out",
  "forward",
  "dialect",
];

test.each(Object.keys(usualCapabilities))("the folder of the dialect %s has all its parts", (dialect) => {
  const missing = PARTS.filter((part) => !existsSync(join(import.meta.dirname, dialect, `${part}.ts`)));
  expect(missing).toEqual([]);
});
