import { expect, test } from "vitest";
import { loadConfig } from "@/server/base/config";
import { asSettings, carriedBy, limitsOf } from "./limits";
import { thisMachine } from "./machine";

const GIGABYTE = 1024 ** 3;
const small = { memoryBytes: 2 * GIGABYTE, descriptors: 1_048_576 };

test("a machine with 2 GB has room for 10,000 calls of one account to one vendor", () => {
  const { calls, upstreamCalls } = limitsOf(loadConfig({}), small);
  const ofOneAccount = Math.floor((calls * 16) / 17);
  expect(ofOneAccount).toBeGreaterThanOrEqual(10_000);
  expect(upstreamCalls).toBe(calls);
});

test("few descriptors limit the calls of each gateway, and leave some for other uses", () => {
  for (const descriptors of [1_024, 4_096, 20_000]) {
    for (const gateways of [1, 2, 4]) {
      const machine = { memoryBytes: 1_000 * GIGABYTE, descriptors };
      const { calls } = carriedBy(machine, gateways);
      const { fileReaders } = limitsOf(loadConfig({ WEB_CONCURRENCY: String(gateways) }), machine);
      expect((2 * (calls + fileReaders)) / gateways).toBeLessThan(descriptors - 300);
    }
  }
});

test("every machine has at least a few places, and at most as many as were tried", () => {
  expect(carriedBy({ memoryBytes: 1, descriptors: 64 }, 1)).toEqual({ calls: 64, cachedKeys: 1_000 });
  const large = carriedBy({ memoryBytes: 10_000 * GIGABYTE, descriptors: 1e9 }, 1);
  expect(large).toEqual({ calls: 100_000, cachedKeys: 200_000 });
});

test("a setting is used as it is, and the other limits follow from it", () => {
  const limits = limitsOf(loadConfig({ MAX_CONCURRENT_CALLS: "800", MAX_CACHED_KEYS: "500" }), small);
  expect(limits).toEqual({
    calls: 800,
    upstreamCalls: 800,
    waitingCalls: 100,
    fileReaders: 50,
    cachedKeys: 500,
  });
});

test("a process with its siblings' limits has the same ones on any machine", () => {
  const config = loadConfig({});
  const limits = limitsOf(config, small);
  const settled = { ...config, ...asSettings(config, limits) };
  expect(limitsOf(settled, { memoryBytes: 1, descriptors: 1 })).toEqual(limits);
});

test("the memory and the descriptors of this machine are read", () => {
  const { memoryBytes, descriptors } = thisMachine();
  expect(memoryBytes).toBeGreaterThan(GIGABYTE / 4);
  expect(memoryBytes).toBeLessThan(1e15);
  expect(descriptors).toBeGreaterThanOrEqual(256);
});
