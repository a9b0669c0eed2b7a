import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createCache } from "./cache";
import { stopwatch } from "./clock";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A cache whose loads the test answers. */
function held(maxServedMs?: number) {
  const loads: { answer: (value: string) => void; fail: () => void }[] = [];
  const cache = createCache<string>(
    () =>
      new Promise((resolve, reject) => {
        loads.push({ answer: resolve, fail: () => reject(new Error("away")) });
      }),
    { maxAgeMs: 1_000, maxEntries: 10, ...(maxServedMs !== undefined && { maxServedMs }) },
  );
  return { cache, loads };
}

async function aged(ms: number, maxServedMs?: number) {
  const { cache, loads } = held(maxServedMs);
  const first = cache.get("key");
  loads[0]?.answer("old");
  await first;
  await vi.advanceTimersByTimeAsync(ms);
  return { cache, loads };
}

test("what is young enough is not looked up again", async () => {
  const { cache, loads } = await aged(999);
  expect(await cache.get("key")).toBe("old");
  expect(loads).toHaveLength(1);
});

test("what is old is served while one look-up for all its readers fetches it anew", async () => {
  const { cache, loads } = await aged(1_001);
  expect(await Promise.all([cache.get("key"), cache.get("key")])).toEqual(["old", "old"]);
  expect(loads).toHaveLength(2);
  loads[1]?.answer("new");
  await vi.advanceTimersByTimeAsync(1);
  expect(await cache.get("key")).toBe("new");
  expect(loads).toHaveLength(2);
});

test("nothing is served that is twice as old, however its refresh fares", async () => {
  const { cache, loads } = await aged(1_001);
  await cache.get("key");
  await vi.advanceTimersByTimeAsync(1_000);
  const late = cache.get("key");
  expect(loads).toHaveLength(3);
  loads[2]?.answer("new");
  expect(await late).toBe("new");
  loads[1]?.answer("of the refresh");
  await vi.advanceTimersByTimeAsync(1);
  expect(await cache.get("key")).toBe("new");
});

test("a refresh that fails leaves the old value, and the next reader tries again", async () => {
  const { cache, loads } = await aged(1_001);
  await cache.get("key");
  loads[1]?.fail();
  await vi.advanceTimersByTimeAsync(1);
  expect(await cache.get("key")).toBe("old");
  expect(loads).toHaveLength(3);
});

test("what is forgotten is looked up before it is served, also where a refresh was under way", async () => {
  const { cache, loads } = await aged(1_001);
  await cache.get("key");
  cache.forget();
  const next = cache.get("key");
  loads[1]?.answer("read before the change");
  loads[2]?.answer("read after it");
  expect(await next).toBe("read after it");
  await vi.advanceTimersByTimeAsync(1);
  expect(await cache.get("key")).toBe("read after it");
});

test("nothing is served from before a time in which the whole machine stood still", async () => {
  const { cache, loads } = await aged(10);
  vi.setSystemTime(Date.now() + 600_000);
  const next = cache.get("key");
  loads[1]?.answer("new");
  expect(await next).toBe("new");
});

test("what may not be served once it is old is waited for", async () => {
  const { cache, loads } = await aged(1_001, 1_000);
  const next = cache.get("key");
  loads[1]?.answer("new");
  expect(await next).toBe("new");
});

test("a look-up that fails is not kept", async () => {
  const { cache, loads } = held();
  const first = cache.get("key");
  loads[0]?.fail();
  await expect(first).rejects.toThrow("away");
  const second = cache.get("key");
  loads[1]?.answer("there");
  expect(await second).toBe("there");
});

test("what has not changed since, for all before was heard of, is served however old, and looked up anew beside", async () => {
  let heardAt = 0;
  const loads: (() => void)[] = [];
  const load = () => new Promise<string>((resolve) => loads.push(() => resolve(`look-up ${loads.length}`)));
  const cache = createCache(load, { maxAgeMs: 1_000, maxEntries: 10, heardAt: () => heardAt });
  const first = cache.get("key");
  loads[0]?.();
  await first;
  await vi.advanceTimersByTimeAsync(600_000);
  heardAt = stopwatch();
  await vi.advanceTimersByTimeAsync(1_999);
  expect(await cache.get("key")).toBe("look-up 1");
  expect(loads).toHaveLength(2);
  // No notice has arrived since: the value may have changed.
  await vi.advanceTimersByTimeAsync(1);
  const late = cache.get("key");
  expect(loads).toHaveLength(3);
  loads[2]?.();
  expect(await late).toBe("look-up 3");
});
