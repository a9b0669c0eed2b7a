import { expect, test } from "vitest";
import { createLog } from "@/server/base/log";
import { nanos } from "@/server/base/money";
import { branded } from "@/tests/support/branded";
import type { Granted } from "./freeze";
import type { HoldRequest, Renewal } from "./holds";
import { createLeases } from "./leases";

const request: HoldRequest = {
  requestId: "req_1",
  accountId: branded("acc_1"),
  keyId: branded("key_1"),
  period: "2026-05",
  keyCap: null,
  amount: nanos(100n),
  minimum: nanos(100n),
};

/** The leases of a process whose database answers when the test says so. */
function waitingLeases() {
  const renewals: ((renewal: Renewal) => void)[] = [];
  const freezes: ((granted: Granted) => void)[] = [];
  const incidents: string[] = [];
  const leases = createLeases({
    renew: () => new Promise((resolve) => void renewals.push(resolve)),
    freeze: () => new Promise((resolve) => void freezes.push(resolve)),
    hasRow: () => true,
    escrow: { drawnBy: () => null, rows: () => [], renewed: () => {}, lost: () => {}, now: () => 0 },
    log: createLog("silent"),
    observe: (incident) => incidents.push(incident),
  });
  return { leases, renewals, freezes, incidents };
}

const lost: Renewal = { renewed: [], lost: ["req_1"], failure: null };
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("lost money is frozen again once, although a renewal that began meanwhile answers later", async () => {
  const { leases, renewals, freezes, incidents } = waitingLeases();
  const loss = leases.begin(request);
  const first = leases.renew();
  renewals[0]?.(lost);
  await first;
  expect(freezes).toHaveLength(1);
  const second = leases.renew();
  freezes[0]?.({ amount: nanos(100n), isEscrow: false });
  await turn();
  renewals[1]?.(lost);
  await second;
  expect(freezes).toHaveLength(1);
  expect(incidents).toEqual(["hold_regained"]);
  expect(loss.isCancelled).toBe(false);
  // A loss that a later renewal finds is another one.
  const third = leases.renew();
  renewals[2]?.(lost);
  await third;
  expect(freezes).toHaveLength(2);
});

test("renewals do not overlap: one that begins while another waits for its answer joins it", async () => {
  const { leases, renewals, freezes } = waitingLeases();
  const loss = leases.begin(request);
  const both = [leases.renew(), leases.renew()];
  expect(renewals).toHaveLength(1);
  renewals[0]?.(lost);
  await Promise.all(both);
  freezes[0]?.({ amount: nanos(100n), isEscrow: false });
  await turn();
  expect(freezes).toHaveLength(1);
  expect(loss.isCancelled).toBe(false);
  void leases.renew();
  expect(renewals).toHaveLength(2);
});
