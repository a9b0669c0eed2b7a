import fc from "fast-check";
import { describe, test } from "vitest";
import { freshDatabase } from "@/tests/support/database";
import { openLedger } from "@/tests/support/ledger";
import { LEASE_SECONDS, playHistory } from "@/tests/support/ledger-history";
import { op } from "@/tests/support/ledger-steps";
import { perFile } from "@/tests/support/per-file";

/** Histories of each kind; more of them for a longer look. */
const RUNS = Number(process.env.LAW_RUNS ?? 60);
/** A history takes a third of a second, and ten times that on a machine that has other things to do. */
const TIMEOUT_MS = RUNS * 3_000;
/** One history: longer than any that does not hang. */
const HISTORY_MS = 30_000;
/** A history that fails or hangs is shown, as small as it got until then. */
const parameters = () => ({
  numRuns: RUNS,
  plugins: [
    fc.timeout(HISTORY_MS),
    fc.interruptAfterTimeLimit(TIMEOUT_MS - 5_000, { failOnInterrupt: true }),
  ],
});

const ledger = perFile(async () => {
  const books = openLedger(await freshDatabase());
  await books.outlastStart(LEASE_SECONDS);
  return books;
});

const play = (batches: Parameters<typeof playHistory>[1]) => playHistory(ledger, batches);

describe("the laws of the ledger hold", () => {
  test(
    "after every step of any history of three replicas",
    async () => {
      const steps = fc.array(
        op.map((each) => [each]),
        { maxLength: 40, size: "max" },
      );
      await fc.assert(fc.asyncProperty(steps, play), parameters());
    },
    TIMEOUT_MS,
  );

  test(
    "after every burst of steps at once, and in every state between",
    async () => {
      const bursts = fc.array(fc.array(op, { minLength: 2, maxLength: 20 }), { maxLength: 12, size: "max" });
      await fc.assert(fc.asyncProperty(bursts, play), parameters());
    },
    TIMEOUT_MS,
  );
});
