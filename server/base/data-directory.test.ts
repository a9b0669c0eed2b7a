import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { ConfigError } from "./config";
import { openDataDirectory } from "./data-directory";

const place = temporaryDirectory();

test("a data directory is created, and one that cannot be created is refused by its path before the server starts", () => {
  const newDirectory = join(place, "made", "deep");
  openDataDirectory({ TOLLGATE_DATA_DIR: newDirectory });
  expect(existsSync(newDirectory)).toBe(true);

  // Not by permissions: tests run as root, which has all.
  writeFileSync(join(place, "file"), "");
  const impossibleDirectory = join(place, "file", "data");
  const open = () => openDataDirectory({ TOLLGATE_DATA_DIR: impossibleDirectory });
  expect(open).toThrow(ConfigError);
  expect(open).toThrow(impossibleDirectory);
});
