import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createLog } from "@/server/base/log";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { openRunDirectory } from "./run-directory";

const log = createLog("silent");
const place = temporaryDirectory();

describe("a temporary folder that a server cannot use", () => {
  test("is refused with a reason, and nothing is left in it", async () => {
    const long = join(place, "x".repeat(110));
    mkdirSync(long);
    for (const folder of [join(place, "missing"), long]) {
      await expect(openRunDirectory(log, folder)).rejects.toThrow(
        `The temporary folder ${folder} cannot hold the server's sockets`,
      );
    }
    expect(readdirSync(long)).toEqual([]);
  });
});

test("a server's directory stays when another server starts, and is removed when its server ends", async () => {
  const folder = join(place, "shared");
  mkdirSync(folder);
  const first = await openRunDirectory(log, folder);
  const second = await openRunDirectory(log, folder);
  expect(readdirSync(folder)).toHaveLength(2);
  first.remove();
  second.remove();
  expect(readdirSync(folder)).toEqual([]);
});
