import { readFileSync } from "node:fs";
import { satisfies } from "semver";
import { expect, test } from "vitest";
import { faultOfNode } from "./node-version.mjs";

const { engines } = JSON.parse(readFileSync("package.json", "utf8")) as { engines: { node: string } };

test("a Node.js is refused with a reason if and only if package.json does not allow it", () => {
  const versions = [18, 20, 21, 22, 23, 24, 25, 26, 27, 30].flatMap((major) =>
    [0, 18, 19, 20].map((minor) => `v${major}.${minor}.1`),
  );
  for (const version of versions) {
    expect([version, faultOfNode(version, engines.node) === null]).toEqual([
      version,
      satisfies(version, engines.node),
    ]);
  }
  expect(faultOfNode("v20.20.2", engines.node)).toBe(
    `Tollgate needs Node.js ${engines.node}; this is v20.20.2.`,
  );
});
