import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createCache } from "./cache";
import { stopwatch } from "./clock";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A cache whose loads the test answers. */
function createHeldCache(maxServedMs?: number) {
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

async function agedCache(ms: number, maxServedMs?: number) {
  const { cache, loads } = createHeldCache(maxServedMs);
  const first = cache.get("key");
  loads[0]?.answer("old");
  await first;
  await vi.advanceTimersByTimeAsync(ms);
  return { cache, loads };
}

test("a young value is served without a look-up", async () => {
  const { cache, loads } = await agedCache(999);
  expect(await cache.get("key")).toBe("old");
  expect(loads).toHaveLength(1);
});

test("an old value is served while one look-up for all readers refreshes it", async () => {
  const { cache, loads } = await agedCache(1_001);
  expect(await Promise.all([cache.get("key"), cache.get("key")])).toEqual(["old", "old"]);
  expect(loads).toHaveLength(2);
  loads[1]?.answer("new");
  await vi.advanceTimersByTimeAsync(1);
  expect(await cache.get("key")).toBe("new");
  expect(loads).toHaveLength(2);
});

test("a value of twice the maximum age is not served, even if its refresh is under way", async () => {
  const { cache, loads } = await agedCache(1_001);
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

test("a refresh that fails leaves the old value, and the next reader starts another one", async () => {
  const { cache, loads } = await agedCache(1_001);
  await cache.get("key");
  loads[1]?.fail();
  await vi.advanceTimersByTimeAsync(1);
  expect(await cache.get("key")).toBe("old");
  expect(loads).toHaveLength(3);
});

test("a forgotten value is looked up before it is served, also if a refresh was under way", async () => {
  const { cache, loads } = await agedCache(1_001);
  await cache.get("key");
  cache.forget();
  const next = cache.get("key");
  loads[1]?.answer("read before the change");
  loads[2]?.answer("read after it");
  expect(await next).toBe("read after it");
  await vi.advanceTimersByTimeAsync(1);
  expect(await cache.get("key")).toBe("read after it");
});

test("a value from before a standstill of the whole machine is not served", async () => {
  const { cache, loads } = await agedCache(10);
  vi.setSystemTime(Date.now() + 600_000);
  const next = cache.get("key");
  loads[1]?.answer("new");
  expect(await next).toBe("new");
});

test("a reader waits for the look-up if old values may not be served", async () => {
  const { cache, loads } = await agedCache(1_001, 1_000);
  const next = cache.get("key");
  loads[1]?.answer("new");
  expect(await next).toBe("new");
});

test("a failed look-up is not kept", async () => {
  const { cache, loads } = createHeldCache();
  const first = cache.get("key");
  loads[0]?.fail();
  await expect(first).rejects.toThrow("away");
  const second = cache.get("key");
  loads[1]?.answer("there");
  expect(await second).toBe("there");
});

test("a value of any age is served and refreshed if it has not changed up to the last notice", async () => {
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

/** A cache of a process that serves last known values for ten seconds while the database is away, with one value. */
async function lastKnownCache() {
  const database = { isAway: false, answers: true };
  let loads = 0;
  const load = async (_: string) => {
    if (!database.answers) {
      throw Object.assign(new Error("away"), { code: "ECONNREFUSED" });
    }
    return `look-up ${++loads}`;
  };
  const cache = createCache(load, {
    ...{ maxAgeMs: 1_000, maxEntries: 10 },
    lastKnown: { mayServe: () => database.isAway, longestMs: 10_000 },
  });
  const get = async () => await cache.get("key");
  await get();
  return { cache, database, get };
}

test("a value that expires when the database does not answer is the last known one, for some time", async () => {
  const { database, get } = await lastKnownCache();
  await vi.advanceTimersByTimeAsync(3_000);
  database.answers = false;
  expect(await Promise.all([get(), get()])).toEqual(["look-up 1", "look-up 1"]);
  database.isAway = true;
  expect(await get()).toBe("look-up 1");
  await vi.advanceTimersByTimeAsync(8_999);
  expect(await get()).toBe("look-up 1");
  await vi.advanceTimersByTimeAsync(1);
  await expect(get()).rejects.toThrow("away");
  database.answers = true;
  expect(await get()).toBe("look-up 2");
});

test("a doubted value is looked up before it is served, unless the database is away", async () => {
  const { cache, database, get } = await lastKnownCache();
  cache.doubt();
  expect(await get()).toBe("look-up 2");
  cache.doubt();
  database.answers = false;
  expect(await get()).toBe("look-up 2");
  database.answers = true;
  expect(await get()).toBe("look-up 3");
});

test("a value that has changed is not served, even while the database is away", async () => {
  const { cache, database, get } = await lastKnownCache();
  cache.doubt();
  database.answers = false;
  const late = get();
  cache.forget();
  await expect(late).rejects.toThrow("away");
  await expect(get()).rejects.toThrow("away");
});

test("a cache has the entries that were used last, and takes memory for those alone", async () => {
  let loads = 0;
  const load = async (key: string) => `${key} ${++loads}`;
  const small = createCache(load, { maxAgeMs: 1_000, maxEntries: 2 });
  for (const key of ["a", "b", "a", "c", "a"]) {
    await small.get(key);
  }
  expect(loads).toBe(3);
  await small.get("b");
  expect(loads).toBe(4);
  const takenBytes = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  const before = takenBytes();
  const large = createCache(load, { maxAgeMs: 1_000, maxEntries: 10_000_000 });
  await large.get("a");
  // Places for all of them at once were 280 MB.
  expect(takenBytes() - before).toBeLessThan(28_000_000);
});
