import { readFileSync } from "node:fs";
import { subset } from "semver";
import { expect, test } from "vitest";

type Lock = { packages: Record<string, { engines?: { node?: string }; cpu?: string[] }> };
const { packages }: Lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
const { "": root, ...others } = packages;

test("every package runs on each Node.js that package.json allows, so that `npm ci` has no warnings", () => {
  const admitted = root?.engines?.node ?? "*";
  const narrower = Object.entries(others).filter(
    // Node.js no longer has builds for 32 bits.
    ([, { engines, cpu }]) => cpu?.join() !== "ia32" && engines?.node && !subset(admitted, engines.node),
  );
  expect(narrower.map(([path, { engines }]) => `${path} wants ${engines?.node}`)).toEqual([]);
});
