import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { ConfigError } from "./config";
import { openDataDirectory } from "./data-directory";

const place = temporaryDirectory();

test("a data directory is made, and one that cannot be is refused by its name before anything is served", () => {
  const made = join(place, "made", "deep");
  openDataDirectory({ TOLLGATE_DATA_DIR: made });
  expect(existsSync(made)).toBe(true);

  // Not by permissions: tests run as root, which has all.
  writeFileSync(join(place, "file"), "");
  const never = join(place, "file", "data");
  const open = () => openDataDirectory({ TOLLGATE_DATA_DIR: never });
  expect(open).toThrow(ConfigError);
  expect(open).toThrow(never);
});
