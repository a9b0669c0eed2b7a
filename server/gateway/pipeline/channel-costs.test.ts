import { expect, test } from "vitest";
import type { ServiceTier } from "@/server/domain/enums";
import type { ChannelId } from "@/server/domain/ids";
import { sheetOf } from "@/tests/support/price-sheet";
import { channelCostCeiling } from "./channel-costs";

const prices = sheetOf({ input: 2_000_000n, "input@priority": 9_000_000n, "input@200k": 4_000_000n });
const model = { costs: new Map([["chn_a" as ChannelId, prices]]) };

const costAt = (input: number, tiers?: (ServiceTier | null)[]) =>
  channelCostCeiling(model, { kind: "chat", input, output: 0, units: {}, tiers })("chn_a" as ChannelId);

test("channels are compared at the tiers that the request names, and at the steps that its prompt can reach", () => {
  expect(costAt(10)).toBe(20n);
  expect(costAt(10, [null, "priority"])).toBe(90n);
  expect(costAt(10, [null])).toBe(20n);
  expect(costAt(200_001)).toBe(800_004n);
});
