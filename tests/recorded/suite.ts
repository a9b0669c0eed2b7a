import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { answerWith, type FakeUpstream, startUpstream } from "@/tests/support/upstream";
import { corpusDirectory, type Exchange, listExchanges } from "./corpus";
import { seed } from "./replay";

export type World = { gateway: Awaited<ReturnType<typeof sharedGateway>>; upstream: FakeUpstream };

/** A gateway and an upstream for the tests of a file. They exist while a test runs. */
function openWorld(): () => World {
  let world: World | null = null;
  beforeAll(async () => {
    world = { gateway: await sharedGateway(), upstream: await startUpstream(answerWith("not told yet")) };
  });
  afterAll(async () => {
    await world?.gateway.close();
    await world?.upstream.close();
  });
  return () => {
    if (!world) {
      throw new Error("no test is running");
    }
    return world;
  };
}

/** The exchanges for which a reason must be given are those for which one is. */
export function checkNamed(what: string, found: Exchange[], reasons: Record<string, string>): void {
  for (const { dir } of found) {
    console.log(`recorded: ${what}, ${dir}: ${reasons[dir] ?? "NOT NAMED"}`);
  }
  expect(found.map(({ dir }) => dir)).toEqual(Object.keys(reasons));
}

/** Declares tests of the exchanges of these endpoints, or one that says that there are none to run. */
export function recordedSuite(endpoints: string[], declare: (exchanges: Exchange[]) => void): void {
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
  console.log(`recorded: ${exchanges.length} ${what} exchanges, RECORDED_SEED=${seed}`);
  declare(exchanges);
}

/** The same, through a gateway. */
export const replaySuite = (
  endpoints: string[],
  declare: (exchanges: Exchange[], world: () => World) => void,
): void =>
  recordedSuite(endpoints, (exchanges) => {
    const world = openWorld();
    declare(exchanges, world);
    test("the ledger has no drift after all of it", async () => {
      expect(await world().gateway.verify()).toEqual([]);
    });
  });
