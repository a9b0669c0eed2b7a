import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ChannelId } from "@/server/base/ids";
import { createLog, type Log } from "@/server/base/log";
import { UpstreamFault } from "@/server/upstream";
import { madeUp } from "@/tests/support/made-up";
import type { HealthEvent } from "./health-events";
import { createHealthRegistry, type HealthRegistry } from "./health-registry";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const channel = { channelId: madeUp<ChannelId>("chn_1"), name: "first", version: "7" };

/** As many registries as processes, each of which receives the events of the others. */
function processes(count: number, log?: Log) {
  const hearers: ((sightings: HealthEvent[]) => void)[] = [];
  let eventCount = 0;
  const registries = Array.from({ length: count }, (_, own) =>
    createHealthRegistry(
      {
        publish: (sightings) => {
          eventCount += sightings.length;
          // Plain data, as another process sends it.
          const events = JSON.parse(JSON.stringify(sightings)) as HealthEvent[];
          hearers.forEach((hear, index) => void (index !== own && hear(events)));
        },
        listen: (hear) => void hearers.push(hear),
      },
      log,
    ),
  );
  return { registries, countEvents: () => eventCount };
}

async function attempt(registry: HealthRegistry | undefined, accountId: string, fault: UpstreamFault | null) {
  const run = () => (fault ? Promise.reject(fault) : Promise.resolve());
  await registry
    ?.healthOf(channel, "chat")
    .run(accountId, run)
    .catch(() => {});
  registry?.note(channel, { operation: "chat", credential: 0, accountId, isCounted: true, fault });
}

const states = (registries: HealthRegistry[]) =>
  registries.map((registry) => registry.healthOf(channel, "chat").view().state);

const down = () => new UpstreamFault("refused", "503 down", { status: 503 });

test("five faults in a row that processes have met together open the breakers of all", async () => {
  const { registries } = processes(3);
  for (let at = 0; at < 5; at++) {
    expect(states(registries)).toEqual(["closed", "closed", "closed"]);
    await attempt(registries[at % 2], `account-${at}`, down());
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(states(registries)).toEqual(["open", "open", "open"]);
  expect(registries[2]?.view()[0]?.lastFault).toMatchObject({ status: 503, message: "503 down" });
});

test("what goes well in one process ends a row of faults in the others", async () => {
  const { registries } = processes(2);
  for (let at = 0; at < 8; at++) {
    await attempt(registries[0], "account", at === 4 ? null : down());
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(states(registries)).toEqual(["closed", "closed"]);
});

test("a credential that is refused in one process rests in all", async () => {
  const { registries } = processes(2);
  await attempt(registries[0], "account", new UpstreamFault("refused", "401", { status: 401 }));
  await vi.advanceTimersByTimeAsync(100);
  expect(registries[1]?.healthOf(channel, "chat").isResting(0, "somebody else")).toBe(true);
});

test("each operation is judged by its own faults, and a channel that was changed by none of before", async () => {
  const {
    registries: [registry],
  } = processes(1);
  for (let at = 0; at < 5; at++) {
    await attempt(registry, `account-${at}`, down());
  }
  expect(registry?.healthOf(channel, "chat").view().state).toBe("open");
  expect(registry?.healthOf(channel, "embeddings").view().state).toBe("closed");
  expect(registry?.healthOf({ ...channel, version: "8" }, "chat").view().state).toBe("closed");
});

test("a thousand calls that go well are told in one word", async () => {
  const { registries, countEvents } = processes(2);
  for (let at = 0; at < 1_000; at++) {
    registries[0]?.note(channel, {
      ...{ operation: "chat", credential: 0, accountId: "account" },
      ...{ isCounted: true, fault: null },
    });
  }
  await vi.advanceTimersByTimeAsync(100);
  expect(countEvents()).toBe(1);
  expect(registries[1]?.view()[0]).toMatchObject({ attempts: 1_000, oks: 1_000 });
});

test("streams that break off are known to all processes", async () => {
  const { registries } = processes(2);
  const fault = new UpstreamFault("broken", "the stream ended without a finish reason");
  for (let at = 0; at < 5; at++) {
    await attempt(registries[at % 2], `account-${at}`, null);
    registries[at % 2]?.noteStreamEnd(channel, {
      ...{ operation: "chat", credential: 0, accountId: `account-${at}` },
      fault,
    });
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(states(registries)).toEqual(["open", "open"]);
});

test("one process says once that a channel is left alone, however often it is probed, and once that it is taken again", async () => {
  const lines: unknown[] = [];
  const log = createLog("info", { write: (line) => void lines.push(JSON.parse(line)) });
  const { registries } = processes(2, log);
  for (let at = 0; at < 5; at++) {
    await attempt(registries[0], `account-${at}`, down());
    await vi.advanceTimersByTimeAsync(100);
  }
  for (let probes = 0; probes < 4; probes++) {
    await vi.advanceTimersByTimeAsync(10_000);
    await attempt(registries[0], "account", down());
  }
  await vi.advanceTimersByTimeAsync(10_000);
  await attempt(registries[0], "account", null);
  await vi.advanceTimersByTimeAsync(100);
  expect(states(registries)).toEqual(["closed", "closed"]);
  const fields = { channel: "first", operation: "chat" };
  expect(lines).toMatchObject([
    { ...fields, msg: "a channel is left alone", reason: "refused", status: 503 },
    { ...fields, msg: "a channel takes calls again" },
  ]);
});
