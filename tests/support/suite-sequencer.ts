import { BaseSequencer, type TestSpecification } from "vitest/node";
import { suiteOf } from "./suite-name.ts";

/**
 * The files that take longest, by the table of `npm test`. They begin first, so that the end of a run does not wait for
 * one.
 */
const LONG = [
  ...["recorded/crossed", "recorded/responses-upstream", "integration/ledger-laws", "integration/list-plans"],
  ...["contract/videos-vendors", "contract/errors/errors", "escrow/escrow.model"],
  ...[
    "outages/traffic",
    "outages/ground",
    "faults/kills",
    "faults/rolling",
    "faults/sigterm",
    "faults/killed",
  ],
];

/**
 * Files that send bodies of many megabytes, each of which makes V8 collect all garbage of its worker. They begin while
 * there is little garbage, and take two thirds of the processor time.
 */
const LARGE = [
  ...["contract/bodies", "contract/paid-bodies", "contract/paid-answers", "contract/forms-hostile"],
  ...["contract/paid-streams", "contract/forms", "integration/large-catalog"],
];

/**
 * Files that wait for servers, other processes and time: half of the time of all integration and contract tests, and a
 * tenth of their processor time. One after the other they would leave the processor idle. Files of built servers come
 * late, because they also wait for the build.
 */
const WAITING = [
  ...["dump", "erasure", "poolers", "warm-pools", "health", "worker", "read-replica", "kept-charges"].map(
    (name) => `integration/${name}`,
  ),
  ...["readme", "database-away", "server-lives", "guide", "traces-server", "server-requests", "failover"].map(
    (name) => `contract/${name}`,
  ),
  ...["console-origin", "logs", "deployable", "processes", "first-start", "lame-duck"].map(
    (name) => `contract/${name}`,
  ),
];

const placeIn = (names: string[], { moduleId }: TestSpecification): number =>
  names.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
const isOf = (names: string[], file: TestSpecification): boolean => placeIn(names, file) !== -1;

/** Recordings first: they need the processor and no build. */
const ORDER = ["recorded", "integration", "contract", "unit"];

/** Spreads `few` evenly among `many`. */
function spread<T>(few: T[], many: T[]): T[] {
  const each = Math.max(1, Math.floor(many.length / (few.length + 1)));
  const parts = few.map((item, index) => [item, ...many.slice(index * each, (index + 1) * each)]);
  return [...parts.flat(), ...many.slice(few.length * each)];
}

/**
 * Large bodies, recordings, then waiting files among others. Unit tests, which only need the processor, have a separate
 * turn before them (vitest.config.ts).
 */
export class SuitesInTurn extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = (await super.sort(files))
      .toSorted((a, b) => Number(isOf(LONG, b)) - Number(isOf(LONG, a)))
      .toSorted((a, b) => ORDER.indexOf(suiteOf(a)) - ORDER.indexOf(suiteOf(b)));
    const large = sorted.filter((file) => isOf(LARGE, file));
    const waiting = sorted
      .filter((file) => isOf(WAITING, file))
      .toSorted((a, b) => placeIn(WAITING, a) - placeIn(WAITING, b));
    const rest = sorted.filter((file) => !isOf(LARGE, file) && !isOf(WAITING, file));
    const isBeside = (file: TestSpecification) => ["integration", "contract"].includes(suiteOf(file));
    const beside = rest.filter(isBeside);
    const first = rest.filter((file) => suiteOf(file) === "recorded");
    const last = rest.filter((file) => !isBeside(file) && suiteOf(file) !== "recorded");
    return [...large, ...first, ...spread(waiting, beside), ...last];
  }
}
