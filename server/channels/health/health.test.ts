import { afterEach, expect, test, vi } from "vitest";
import { GatewayError } from "@/server/base/errors";
import { UpstreamFault } from "@/server/upstream";
import { virtualTimers } from "@/tests/support/virtual-clock";
import { createHealth } from "./health";

const busy = () => new UpstreamFault("refused", "503 busy", { status: 503 });
afterEach(() => void vi.useRealTimers());

type Health = ReturnType<typeof createHealth>;
async function fail(health: Health, times: number, error: () => unknown = busy): Promise<void> {
  for (let call = 0; call < times; call++) {
    await health.run("a", () => Promise.reject(error())).catch(() => {});
  }
}

const proxied = () => new UpstreamFault("refused", "504 too slow", { status: 504 });

test("a channel whose repeats go well is left open, however many first tries fail", async () => {
  const health = createHealth();
  for (let call = 0; call < 20; call++) {
    await expect(health.run("a", () => Promise.reject(busy()))).rejects.toThrow("503");
    health.noteOk({ credential: 0, accountId: "a" }, { hasRun: false });
  }
  expect(health.view().state).toBe("closed");
});

test("five faults in a row leave a channel alone for ten seconds; a probe that goes well takes it back", async () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  const health = createHealth();
  for (let call = 0; call < 5; call++) {
    expect(health.opensInMs("a")).toBeNull();
    await health.run("a", () => Promise.reject(busy())).catch(() => {});
    health.noteFault({ credential: 0, accountId: "a" }, busy());
  }
  expect(health.view()).toMatchObject({
    lastFault: { reason: "refused", status: 503, message: "503 busy", at: new Date() },
    ...{ state: "open", attempts: 5, oks: 0, lastOkAt: null },
  });
  vi.advanceTimersByTime(9_999);
  expect([health.view().state, health.opensInMs("b")]).toEqual(["open", 1]);
  vi.advanceTimersByTime(1);
  expect(health.view().state).toBe("half_open");
  await health.run("a", async () => expect(health.isProbing("b")).toBe(true));
  expect([health.view().state, health.isProbing("b")]).toEqual(["closed", false]);
});

test("a probe that its client left has shown nothing: the channel is left alone for ten seconds more", async () => {
  const timers = virtualTimers();
  const health = createHealth(() => {}, timers);
  await fail(health, 5);
  timers.advance(10_000);
  await fail(health, 1, () => new GatewayError("clientGone", ""));
  expect(health.opensInMs("a")).toBe(10_000);
  timers.advance(10_000);
  await fail(health, 1, () => new GatewayError("upstreamRejected", "no such voice"));
  expect(health.view().state).toBe("closed");
});

test("a clock that is set back by a month leaves a channel alone for ten seconds all the same", async () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  const health = createHealth();
  await fail(health, 5);
  vi.setSystemTime(Date.now() - 31 * 24 * 3_600_000);
  await expect(health.run("a", async () => {})).rejects.toThrow();
  vi.advanceTimersByTime(10_000);
  expect(health.opensInMs("a")).toBe(0);
  await health.run("a", async () => {});
  expect(health.view().state).toBe("closed");
});

test("what timed out after the channel had recovered is no fault of now", async () => {
  const timers = virtualTimers();
  const health = createHealth(() => {}, timers);
  const slow = Array.from({ length: 20 }, () => {
    let fail = () => {};
    const ended = new Promise<never>((_, reject) => {
      fail = () => reject(busy());
    });
    return { ended: health.run("a", () => ended).catch(() => {}), fail };
  });
  timers.advance(5);
  await health.run("a", async () => {});
  for (const { fail, ended } of slow) {
    fail();
    await ended;
  }
  expect(health.view().state).toBe("closed");
  await fail(health, 5);
  expect(health.view().state).toBe("open");
});

test("one account whose prompts take too long for a proxy closes the channel to itself alone", async () => {
  const health = createHealth();
  await fail(health, 20, proxied);
  expect(health.opensInMs("a")).not.toBeNull();
  expect(health.opensInMs("b")).toBeNull();
  expect(health.view()).toMatchObject({ state: "closed", accountsApart: 1 });
});

const cutOff = () => new UpstreamFault("broken", "the stream ended without a finish reason");

/** A stream that begins well and ends with this fault, or well if null. */
async function stream(health: Health, accountId: string, fault: UpstreamFault | null) {
  await health.run(accountId, async () => {});
  health.noteOk({ credential: 0, accountId }, { hasRun: true });
  health.noteStreamEnd({ credential: 0, accountId }, fault);
  await new Promise((resolve) => setTimeout(resolve));
}

test("a channel that begins every stream and breaks it off is left alone, to one account and then to all", async () => {
  const health = createHealth();
  for (let call = 0; call < 5; call++) {
    expect(health.opensInMs("a")).toBeNull();
    await stream(health, "a", cutOff());
  }
  expect(health.opensInMs("a")).not.toBeNull();
  expect(health.opensInMs("b")).toBeNull();
  expect(health.view()).toMatchObject({ attempts: 5, oks: 0, lastFault: { reason: "broken" } });
  for (const accountId of ["b", "c", "d", "e"]) {
    await stream(health, accountId, cutOff());
  }
  expect(health.view().state).toBe("open");
});

test("streams that break off now and then leave it open", async () => {
  const health = createHealth();
  for (let call = 0; call < 40; call++) {
    await stream(health, `account-${call}`, call % 4 === 3 ? null : cutOff());
  }
  expect(health.view()).toMatchObject({ state: "closed", attempts: 40, oks: 10 });
});
