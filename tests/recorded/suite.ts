import { expect, test } from "vitest";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { answerWith, type FakeUpstream, startUpstream } from "@/tests/support/upstream";
import { corpusDirectory, listExchanges, type RecordedExchange } from "./corpus";
import { seed } from "./replay";

export type ReplayWorld = { gateway: Awaited<ReturnType<typeof sharedGateway>>; upstream: FakeUpstream };

/** Checks that exactly the exchanges that need a reason have one. */
export function checkNamed(
  what: string,
  exchanges: RecordedExchange[],
  reasons: Record<string, string>,
): void {
  for (const { dir } of exchanges) {
    console.log(`recorded: ${what}, ${dir}: ${reasons[dir] ?? "NOT NAMED"}`);
  }
  expect(exchanges.map(({ dir }) => dir)).toEqual(Object.keys(reasons));
}

/** One row for each exchange in a table of tests, which are named by `$dir`. */
export const rowsOf = (exchanges: RecordedExchange[]) =>
  exchanges.map((exchange) => ({ exchange, dir: exchange.dir }));

/** Declares tests of the exchanges of these endpoints, or one test that reports that there are none. */
export function recordedSuite(endpoints: string[], declare: (exchanges: RecordedExchange[]) => void): void {
  const exchanges = listExchanges(endpoints);
  const what = endpoints.join(", ");
  if (exchanges === null) {
    const notice = `there is no corpus at ${corpusDirectory} (CORPUS_DIR): no recorded ${what} exchange was replayed`;
    console.log(`recorded: ${notice}`);
    test(`NOT RUN: ${notice}`, () => {
      expect(exchanges).toBeNull();
    });
    return;
  }
  console.log(`recorded: ${exchanges.length} ${what} exchanges, TEST_SEED=${seed}`);
  declare(exchanges);
}

/** The same, through a gateway. */
export const replaySuite = (
  endpoints: string[],
  declare: (exchanges: RecordedExchange[], world: ReplayWorld) => void,
): void =>
  recordedSuite(endpoints, (exchanges) => {
    const gateway = perFile(sharedGateway);
    declare(exchanges, { gateway, upstream: perFile(() => startUpstream(answerWith("not told yet"))) });
    test("the ledger has no drift after all of it", async () => {
      expect(await gateway.verify()).toEqual([]);
    });
  });
