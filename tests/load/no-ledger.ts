import { CancellationSource } from "@/server/base/cancellation";
import { nanos } from "@/server/base/money";
import type { Billing } from "@/server/billing";

/** Billing that grants everything and writes nothing: it shows the gateway without its ledger. */
export const noLedger = (): Billing => ({
  hold: async ({ requestId, accountId, keyId, amount }) => ({
    ...{ requestId, accountId, keyId, period: "2000-01", amount, drawn: null },
    lost: new CancellationSource(),
  }),
  capture: async () => {},
  release: () => {},
  openMonthsAndReclaim: async () => {},
  payer: async ({ windows: _, ...buyer }) => ({ ...buyer, period: "2000-01" }),
  period: () => "2000-01",
  standing: async () => ({
    spent: { day: nanos(0n), week: nanos(0n), month: nanos(0n) },
    caps: [],
    ofAccount: [],
  }),
  sellsAlone: () => false,
  unsettled: () => 0,
  sweep: async () => 0,
  close: async () => {},
});
