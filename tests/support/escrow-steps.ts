import fc from "fast-check";
import { stepOf } from "./ledger-steps";

export const PROCESSES = 2;

/** The fate of a statement: it may commit although its answer is lost, even after it was given up, or never arrive. */
export type Fate = "answered" | "unheard" | "late" | "unsent";

const process = fc.nat(PROCESSES - 1);
const fate = fc.constantFrom<Fate>("answered", "answered", "answered", "unheard", "late", "unsent");

export const step = fc.oneof(
  stepOf(8, "hold", { process, key: fc.nat(1), amount: fc.bigInt({ min: 1n, max: 60n }), fate }),
  stepOf(8, "end", {
    process,
    pick: fc.nat(5),
    // In hundredths of the hold; null: it is released.
    share: fc.constantFrom(0n, 37n, 100n, 140n, null),
    // The charge waits for the disk of its machine, and not for the database.
    isStored: fc.boolean(),
    fate,
  }),
  // The charges on disk go to the ledger: of a process, and of the dead ones.
  stepOf(6, "settle", { process, fate }),
  // A sent statement and its answer arrive, in any order.
  stepOf(12, "arrive", { pick: fc.nat(5) }),
  stepOf(6, "fold", { process, fate }),
  // `isLocked`: another process has locked the rows, and they are skipped.
  stepOf(2, "renew", { process, fate, isLocked: fc.boolean() }),
  stepOf(1, "recall", { process }),
  stepOf(1, "crash", { process }),
  stepOf(2, "sweep", {}),
  // To the end of the time in which an escrow pays, beyond a lease, and a minute.
  stepOf(2, "wait", { ms: fc.constantFrom(1_000, 6_000, 16_000, 60_000) }),
  stepOf(1, "month", {}),
);
export type EscrowStep = typeof step extends fc.Arbitrary<infer One> ? One : never;
