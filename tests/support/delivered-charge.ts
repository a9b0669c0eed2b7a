import { nanos } from "@/server/base/money";
import type { DeliveredCharge } from "@/server/billing/holds/settlement";
import { branded } from "./branded";

/** The charge of a delivered call. */
export const deliveredCharge = (
  requestId: string,
  change: Partial<DeliveredCharge> = {},
): DeliveredCharge => ({
  requestId,
  accountId: branded("acc_1"),
  period: "2026-07",
  charge: {
    ...{ amount: nanos(40n), usage: null, source: null, prices: {}, keyId: branded("key_1"), modelId: "m" },
    channelId: branded("chn_1"),
  },
  ...change,
});
