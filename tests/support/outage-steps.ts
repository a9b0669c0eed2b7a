import fc from "fast-check";
import type { Fate } from "./escrow-steps";
import { stepOf } from "./ledger-steps";

export const OUTAGE_PROCESSES = 3;

const process = fc.nat(OUTAGE_PROCESSES - 1);
const fate = fc.constantFrom<Fate>("answered", "answered", "answered", "unheard", "late", "unsent");

export const outageStep = fc.oneof(
  // A process asks for its part, or for more, or gives up what is above its share.
  stepOf(8, "renew", { process, fate }),
  // Its database goes away, or comes back. The other processes may still have theirs.
  stepOf(3, "cut", { process }),
  stepOf(3, "mend", { process }),
  stepOf(2, "cutAll", {}),
  // A call, paid by the part while the database is away, or by the month.
  stepOf(12, "hold", { process, amount: fc.bigInt({ min: 1n, max: 40n }) }),
  // A call with its own hold in the month. Its charge does not reach the database in time, and the part pays.
  stepOf(4, "freeze", { process, amount: fc.bigInt({ min: 1n, max: 40n }) }),
  stepOf(4, "cover", { process, pick: fc.nat(5), share: fc.constantFrom(0n, 37n, 100n), fate }),
  // Its hold is returned, because its lease has ended.
  stepOf(2, "lose", { pick: fc.nat(5) }),
  // In hundredths of the hold; null: it is released.
  stepOf(10, "end", { process, pick: fc.nat(5), share: fc.constantFrom(0n, 37n, 100n, 140n, null) }),
  // The charges on disk go to the ledger: of a process, and of the dead ones.
  stepOf(8, "settle", { process, fate }),
  stepOf(12, "arrive", { pick: fc.nat(5) }),
  stepOf(1, "crash", { process }),
  stepOf(2, "sweep", {}),
  // The server takes its reserve for starts without the database back, asks for it again, and publishes its file.
  stepOf(4, "reserve", { fate }),
  stepOf(6, "publish", {}),
  stepOf(1, "restart", {}),
  // A process hears of a change, and withdraws the file.
  stepOf(1, "change", {}),
  // A process dies, and one that is started without the database takes its place.
  stepOf(4, "startAway", { process }),
  // A part of the outage, more than what an even part is left alone for, and more than the longest outage.
  stepOf(3, "wait", { ms: fc.constantFrom(5_000, 70_000, 1_200_000, 4_000_000) }),
);

/** One server that starts again and again without its database, and calls that use its small reserve up. */
export const awayStep = fc.oneof(
  stepOf(6, "renew", { process, fate }),
  stepOf(3, "cut", { process }),
  stepOf(4, "mend", { process }),
  stepOf(20, "hold", { process, amount: fc.bigInt({ min: 1n, max: 4n }) }),
  stepOf(20, "end", { process, pick: fc.nat(5), share: fc.constantFrom(0n, 100n, null) }),
  stepOf(6, "settle", { process, fate }),
  stepOf(20, "arrive", { pick: fc.nat(5) }),
  stepOf(1, "crash", { process }),
  stepOf(4, "sweep", {}),
  stepOf(12, "reserve", { fate }),
  stepOf(12, "publish", {}),
  stepOf(1, "restart", {}),
  stepOf(2, "change", {}),
  stepOf(8, "startAway", { process }),
  stepOf(4, "wait", { ms: fc.constantFrom(5_000, 70_000) }),
);
export type OutageStep = typeof outageStep extends fc.Arbitrary<infer One> ? One : never;
