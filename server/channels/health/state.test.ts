import { expect, test } from "vitest";
import { madeUp } from "@/tests/support/made-up";
import type { ChannelHealth } from "./registry";
import { currentFault, isAiling, stateOf } from "./state";

const healthWith = (health: Partial<ChannelHealth>): ChannelHealth => ({
  ...{ channelId: madeUp("chn_1"), operation: "chat", state: "closed", restingCredentials: [] },
  ...{ accountsApart: 0, lastFault: null, lastOkAt: null, attempts: 0, oks: 0 },
  ...health,
});
const faultAt = (at: string) => {
  return { reason: "refused" as const, status: 500, message: "no", at: new Date(at) };
};

test("a channel is as bad as the worst of its operations", () => {
  const enabled = { isEnabled: true };
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
  expect(stateOf({ isEnabled: false }, [healthWith({ state: "open" })])).toBe("disabled");
});

test("whatever is worse than well is somebody's to look at, unless the channel is disabled", () => {
  const ailing = (["open", "probing", "resting", "apart", "faulty"] as const).every(isAiling);
  const expected = [true, false, false, false];
  expect([ailing, ...(["disabled", "well", "unused"] as const).map(isAiling)]).toEqual(expected);
});

test("a fault that a later call has made good is not told any more", () => {
  const old = healthWith({ lastFault: faultAt("2026-01-01"), lastOkAt: new Date("2026-01-02") });
  expect(currentFault([old])).toBeNull();
  const earlier = healthWith({ lastFault: faultAt("2026-01-03") });
  const later = healthWith({ operation: "embeddings", lastFault: faultAt("2026-01-04") });
  expect(currentFault([old, later, earlier])?.at).toEqual(new Date("2026-01-04"));
});
