import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemTimers } from "@/server/base/clock";
import { createLog, type Log } from "@/server/base/log";
import type { ChannelId } from "@/server/domain/ids";
import { UpstreamFault } from "@/server/upstream";
import { branded } from "@/tests/support/branded";
import { virtualTimers } from "@/tests/support/virtual-clock";
import type { AttemptEvent } from "./events";
import { createHealthRegistry, type HealthRegistry, type Trial } from "./registry";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const channel = { channelId: branded<ChannelId>("chn_1"), name: "first", version: "7" };

/** As many registries as processes, each of which receives the events of the others. */
function processes(count: number, log?: Log) {
  const listeners: ((sightings: AttemptEvent[]) => void)[] = [];
  let eventCount = 0;
  const registries = Array.from({ length: count }, (_, own) =>
    createHealthRegistry(
      {
        publish: (sightings) => {
          eventCount += sightings.length;
          // Plain data, as another process sends it.
          const events = JSON.parse(JSON.stringify(sightings)) as AttemptEvent[];
          listeners.forEach((listener, index) => void (index !== own && listener(events)));
        },
        listen: (listener) => void listeners.push(listener),
      },
      log,
    ),
  );
  return { registries, countEvents: () => eventCount };
}

const began = (
  registry: HealthRegistry | undefined,
  accountId: string,
  { operation = "chat", version = "7" }: { operation?: "chat" | "embeddings"; version?: string } = {},
): Trial | "skipped" | "resting" =>
  registry?.begin({ ...channel, version }, { operation, credential: 0, accountId }, "first") ?? "skipped";

const HEADLESS = { headMs: null };

/** A call that ends at once, unless it is skipped. */
function attempt(registry: HealthRegistry | undefined, accountId: string, fault: UpstreamFault | null) {
  const trial = began(registry, accountId);
  if (typeof trial === "object") {
    trial.ended(fault ?? "ok", HEADLESS);
  }
}

const states = (registries: HealthRegistry[]) =>
  registries.map((registry) => registry.view()[0]?.state ?? "closed");

const down = () => new UpstreamFault("refused", "503 down", { status: 503 });

test("five faults in a row in several processes open the breakers of all processes", async () => {
  const { registries } = processes(3);
  for (let at = 0; at < 5; at++) {
    expect(states(registries)).toEqual(["closed", "closed", "closed"]);
    attempt(registries[at % 2], `account-${at}`, down());
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(states(registries)).toEqual(["open", "open", "open"]);
  expect(registries[2]?.view()[0]?.lastFault).toMatchObject({ status: 503, message: "503 down" });
});

test("a success in one process ends a row of faults in the others", async () => {
  const { registries } = processes(2);
  for (let at = 0; at < 8; at++) {
    attempt(registries[0], "account", at === 4 ? null : down());
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(states(registries)).toEqual(["closed", "closed"]);
});

test("a credential that is refused in one process rests in all processes", async () => {
  const { registries } = processes(2);
  attempt(registries[0], "account", new UpstreamFault("refused", "401", { status: 401 }));
  await vi.advanceTimersByTimeAsync(100);
  expect(began(registries[1], "another account")).toBe("resting");
});

test("each operation is judged by its own faults, and a changed channel starts without faults", async () => {
  const {
    registries: [registry],
  } = processes(1);
  for (let at = 0; at < 5; at++) {
    attempt(registry, `account-${at}`, down());
  }
  expect(began(registry, "account")).toBe("skipped");
  expect(began(registry, "account", { operation: "embeddings" })).toBeTypeOf("object");
  expect(began(registry, "account", { version: "8" })).toBeTypeOf("object");
});

test("a thousand successful calls are sent to other processes in one event", async () => {
  const { registries, countEvents } = processes(2);
  for (let at = 0; at < 1_000; at++) {
    attempt(registries[0], "account", null);
  }
  await vi.advanceTimersByTimeAsync(100);
  expect(countEvents()).toBe(1);
  expect(registries[1]?.view()[0]).toMatchObject({ attempts: 1_000, oks: 1_000 });
});

test("all processes count streams that break off", async () => {
  const { registries } = processes(2);
  const fault = new UpstreamFault("broken", "the stream ended without a finish reason");
  for (let at = 0; at < 5; at++) {
    const trial = began(registries[at % 2], `account-${at}`);
    if (typeof trial === "object") {
      trial.streamBegan();
      trial.ended(fault, HEADLESS);
    }
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(states(registries)).toEqual(["open", "open"]);
});

test("one process logs once that a channel is left alone, however often it is probed, and once that it takes calls again", async () => {
  const lines: unknown[] = [];
  const log = createLog("info", { write: (line) => void lines.push(JSON.parse(line)) });
  const { registries } = processes(2, log);
  for (let at = 0; at < 5; at++) {
    attempt(registries[0], `account-${at}`, down());
    await vi.advanceTimersByTimeAsync(100);
  }
  for (let probes = 0; probes < 4; probes++) {
    await vi.advanceTimersByTimeAsync(10_000);
    attempt(registries[0], "account", down());
  }
  await vi.advanceTimersByTimeAsync(10_000);
  attempt(registries[0], "account", null);
  await vi.advanceTimersByTimeAsync(100);
  expect(states(registries)).toEqual(["closed", "closed"]);
  const fields = { channel: "first", operation: "chat" };
  expect(lines).toMatchObject([
    { ...fields, msg: "a channel is left alone", reason: "refused", status: 503 },
    { ...fields, msg: "a channel takes calls again" },
  ]);
});

test("faults of attempts that began before a success are not counted after it", () => {
  const timers = virtualTimers();
  const registry = createHealthRegistry(undefined, undefined, timers);
  const slow = Array.from({ length: 20 }, () => began(registry, "a"));
  timers.advance(5);
  attempt(registry, "a", null);
  for (const trial of slow) {
    expect(typeof trial === "object" && trial.ended(down(), HEADLESS)).toBeUndefined();
  }
  expect(states([registry])).toEqual(["closed"]);
  for (let at = 0; at < 5; at++) {
    attempt(registry, "a", down());
  }
  expect(states([registry])).toEqual(["open"]);
});

test("a clock that is set back by a month leaves a channel alone for ten seconds only", () => {
  const registry = createHealthRegistry();
  for (let at = 0; at < 5; at++) {
    attempt(registry, "a", down());
  }
  vi.setSystemTime(Date.now() - 31 * 24 * 3_600_000);
  expect(began(registry, "a")).toBe("skipped");
  vi.advanceTimersByTime(10_000);
  expect(registry.opensInMs(channel, "chat", "a")).toBe(0);
  attempt(registry, "a", null);
  expect(states([registry])).toEqual(["closed"]);
});

test("while one call probes the channel, others skip it unless they have no other channel, and those do not count", () => {
  const timers = virtualTimers();
  const registry = createHealthRegistry(undefined, undefined, timers);
  for (let at = 0; at < 5; at++) {
    attempt(registry, "a", down());
  }
  timers.advance(10_000);
  const probe = began(registry, "a");
  const target = { operation: "chat", credential: 0, accountId: "b" } as const;
  expect(registry.begin(channel, target, "first")).toBe("skipped");
  for (const round of ["lastResort", "repeat"] as const) {
    const other = registry.begin(channel, target, round);
    expect(typeof other === "object" && other.ended("ok", HEADLESS)).toBeUndefined();
    expect(states([registry])).toEqual(["half_open"]);
  }
  expect(typeof probe === "object" && probe.ended("ok", HEADLESS)).toBeUndefined();
  expect(states([registry])).toEqual(["closed"]);
});

test("a fault has the same time in each view, although the calendar and the stopwatch tick at different moments", () => {
  let stopwatch = 5_000;
  const registry = createHealthRegistry(undefined, undefined, {
    ...systemTimers,
    stopwatch: () => stopwatch,
  });
  attempt(registry, "acc_1", down());
  const times = Array.from({ length: 8 }, () => {
    stopwatch += 0.2;
    return registry.view()[0]?.lastFault?.at.getTime();
  });
  expect(new Set(times)).toEqual(new Set([Date.now()]));
});
