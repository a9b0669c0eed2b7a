import { expect, test } from "vitest";
import { branded } from "@/tests/support/branded";
import type { ChannelHealth } from "./registry";
import { currentFault, isAiling, stateOf } from "./state";

const healthWith = (health: Partial<ChannelHealth>): ChannelHealth => ({
  ...{ channelId: branded("chn_1"), operation: "chat", state: "closed", restingCredentials: [] },
  ...{ accountsApart: 0, lastFault: null, lastOkAt: null, attempts: 0, oks: 0 },
  ...health,
});
const faultAt = (at: string) => {
  return { reason: "refused" as const, status: 500, message: "no", at: new Date(at) };
};

test("a channel has the worst state of its operations", () => {
  const enabled = { isEnabled: true, isMovedOff: false };
  expect(stateOf(enabled, [])).toBe("unused");
  expect(stateOf(enabled, [healthWith({ attempts: 3 })])).toBe("well");
  expect(stateOf(enabled, [healthWith({ attempts: 3 }), healthWith({ state: "half_open" })])).toBe("probing");
  expect(stateOf(enabled, [healthWith({ state: "half_open" }), healthWith({ state: "open" })])).toBe("open");
  expect(
    stateOf(enabled, [healthWith({ attempts: 3 }), healthWith({ lastFault: faultAt("2026-01-01") })]),
  ).toBe("faulty");
  const resting = healthWith({ attempts: 1, restingCredentials: [{ index: 0, untilMs: 1 }] });
  expect(stateOf(enabled, [resting])).toBe("resting");
  const apart = healthWith({ attempts: 3, accountsApart: 1, lastFault: faultAt("2026-01-01") });
  expect(stateOf(enabled, [apart])).toBe("apart");
  expect(stateOf(enabled, [apart, resting])).toBe("resting");
  expect(stateOf({ ...enabled, isEnabled: false }, [healthWith({ state: "open" })])).toBe("disabled");
});

test("a channel whose calls were moved off is not called unused, and its failures still show", () => {
  const movedOff = { isEnabled: true, isMovedOff: true };
  expect(stateOf(movedOff, [])).toBe("moved");
  expect(stateOf(movedOff, [healthWith({ attempts: 3 })])).toBe("moved");
  expect(stateOf(movedOff, [healthWith({ state: "open" })])).toBe("open");
});

test("every state worse than well needs a look, unless the channel is disabled", () => {
  const ailing = (["open", "probing", "resting", "apart", "faulty"] as const).every(isAiling);
  const expected = [true, false, false, false, false];
  expect([ailing, ...(["disabled", "moved", "well", "unused"] as const).map(isAiling)]).toEqual(expected);
});

test("a fault before a later success is not shown", () => {
  const old = healthWith({ lastFault: faultAt("2026-01-01"), lastOkAt: new Date("2026-01-02") });
  expect(currentFault([old])).toBeNull();
  const earlier = healthWith({ lastFault: faultAt("2026-01-03") });
  const later = healthWith({ operation: "embeddings", lastFault: faultAt("2026-01-04") });
  expect(currentFault([old, later, earlier])?.at).toEqual(new Date("2026-01-04"));
});
