import { expect, test } from "vitest";
import { type ChannelHealth, currentFault, noteOf, stateOf } from "./channel";

const seen = (health: Partial<ChannelHealth>): ChannelHealth => ({
  channelId: "chn_1",
  operation: "chat",
  state: "closed",
  restingCredentials: [],
  lastFault: null,
  lastOkAt: null,
  attempts: 0,
  oks: 0,
  ...health,
});
const faultAt = (at: string) => ({ reason: "refused" as const, status: 500, message: "no", at });

test("a channel is as bad as the worst of its operations", () => {
  const enabled = { isEnabled: true };
  expect(stateOf(enabled, [])).toBe("unused");
  expect(stateOf(enabled, [seen({ attempts: 3 })])).toBe("well");
  expect(stateOf(enabled, [seen({ attempts: 3 }), seen({ state: "half_open" })])).toBe("probing");
  expect(stateOf(enabled, [seen({ state: "half_open" }), seen({ state: "open" })])).toBe("open");
  expect(
    stateOf(enabled, [seen({ attempts: 3 }), seen({ lastFault: faultAt("2026-01-01T00:00:00.000Z") })]),
  ).toBe("faulty");
  const resting = seen({ attempts: 1, restingCredentials: [{ index: 0, untilMs: 1 }] });
  expect(stateOf(enabled, [resting])).toBe("resting");
  expect(stateOf({ isEnabled: false }, [seen({ state: "open" })])).toBe("disabled");
});

test("a fault that a later call has made good is not told any more", () => {
  const old = seen({ lastFault: faultAt("2026-01-01T00:00:00.000Z"), lastOkAt: "2026-01-02T00:00:00.000Z" });
  expect(currentFault([old])).toBeNull();
  const earlier = seen({ lastFault: faultAt("2026-01-03T00:00:00.000Z") });
  const later = seen({ operation: "embeddings", lastFault: faultAt("2026-01-04T00:00:00.000Z") });
  expect(currentFault([old, later, earlier])?.at).toBe("2026-01-04T00:00:00.000Z");
});

test("what keeps a way from being taken is said by what weighs most", () => {
  const way = { isEnabled: true, canTake: ["chat" as const], state: "closed" as const, weight: 1 };
  expect(noteOf(way, "chat")).toBeNull();
  expect(noteOf(way, null)).toBeNull();
  expect(noteOf({ ...way, weight: 0 }, "chat")).toBe("spare");
  expect(noteOf({ ...way, state: "half_open" }, "chat")).toBe("probing");
  expect(noteOf({ ...way, state: "open" }, "video")).toBe("cannot");
  expect(noteOf({ ...way, isEnabled: false }, "video")).toBe("disabled");
});
