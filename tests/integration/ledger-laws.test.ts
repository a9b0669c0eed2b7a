import fc from "fast-check";
import { afterAll, describe, expect, inject, test } from "vitest";
import { freshDatabase } from "@/tests/support/database";
import { openLedger } from "@/tests/support/ledger";
import { playHistory } from "@/tests/support/ledger-history";
import { type Op, op } from "@/tests/support/ledger-steps";
import { LEASE_SECONDS, type Play } from "@/tests/support/ledger-world";
import { perFile } from "@/tests/support/per-file";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { withPatience } from "@/tests/support/until";

/** Histories of each kind; a longer run plays more. */
const RUNS = Number(process.env.LAW_RUNS ?? 20);
/** On several machines a statement takes ten times as long (docs/citus.md). */
const isOverMachines = inject("nodes").urls.length > 1;
/** A history takes a third of a second. After this much processor time it hangs, and is reported. */
const HISTORY_MS = isOverMachines ? 120_000 : 30_000;
/** The limit by the clock, which ends the search for a smaller history that fails. A busy machine needs 9 s for one. */
const TIMEOUT_MS = RUNS * 2 * HISTORY_MS;
/** Reports a history that fails or hangs, in the smallest form that was found. */
const parameters = (numRuns: number) => ({
  numRuns,
  includeErrorInReport: true,
  plugins: [fc.interruptAfterTimeLimit(TIMEOUT_MS - 5_000, { failOnInterrupt: true })],
});

const ledger = perFile(async () => {
  const books = openLedger(await freshDatabase());
  await books.outlastStart(LEASE_SECONDS);
  return books;
});

const ways: { how: string; play: Play; runs: number }[] = [
  { how: "each call freezes its own money", play: { budgets: 1n }, runs: RUNS },
  // Many more of these run without a database: server/billing/escrow/escrow.model.test.ts.
  { how: "processes pay from escrows", play: { budgets: 40n, busyCalls: 0 }, runs: Math.ceil(RUNS / 2) },
  {
    how: "charges wait on disk for the ledger",
    play: { budgets: 40n, busyCalls: 0, chargesDirectory: temporaryDirectory() },
    // A charge needs a fifth of a second more.
    runs: Math.ceil(RUNS / 5),
  },
];

describe.each(ways)("where $how, the laws of the ledger hold", ({ play, runs }) => {
  let drawn = 0;
  const lawful = async (batches: Op[][]) => {
    drawn += await withPatience(playHistory(ledger, batches, play), HISTORY_MS);
  };
  // Otherwise these histories have not tested any escrow.
  afterAll(() => expect(drawn > 0).toBe(play.busyCalls !== undefined));

  test(
    "after every step of any history of three replicas",
    async () => {
      const steps = fc.array(
        op.map((each) => [each]),
        { maxLength: 40, size: "max" },
      );
      await fc.assert(fc.asyncProperty(steps, lawful), parameters(runs));
    },
    TIMEOUT_MS,
  );

  test(
    "after every burst of steps at once, and in every state between",
    async () => {
      const bursts = fc.array(fc.array(op, { minLength: 2, maxLength: 20 }), { maxLength: 12, size: "max" });
      await fc.assert(fc.asyncProperty(bursts, lawful), parameters(runs));
    },
    TIMEOUT_MS,
  );
});
