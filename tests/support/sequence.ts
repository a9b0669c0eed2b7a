import { BaseSequencer, type TestSpecification } from "vitest/node";
import { suiteOf } from "./suite-of.ts";

/** Files that take longest, by the table of `npm test`. They begin first, so that the end of a run waits for none. */
const LONG = [
  ...["recorded/crossed", "recorded/responses-upstream", "integration/dump", "integration/ledger-laws"],
  ...["integration/list-plans", "integration/erasure", "contract/readme", "contract/lame-duck"],
  ...["contract/traces-server", "contract/database-away", "contract/guide", "escrow/escrow.model"],
  ...["outages/traffic", "outages/ground", "faults/idempotency", "faults/kills", "faults/rolling"],
];

/**
 * Files that send bodies of many megabytes, each of which makes V8 collect all garbage of its worker: they begin while
 * that is little, and take two thirds of the processor time.
 */
const LARGE = ["contract/bodies", "contract/paid-bodies", "contract/forms-hostile"];

const isOf = (names: string[], { moduleId }: TestSpecification) =>
  names.some((name) => moduleId.endsWith(`${name}.test.ts`));

/** Recordings first, which need the processor and no build; contract tests late, for some wait for the build. */
const ORDER = ["recorded", "integration", "contract", "unit"];

/** Large bodies, then the suites one after the other, the longest files of each first. */
export class SuitesInTurn extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted
      .toSorted((one, other) => Number(isOf(LONG, other)) - Number(isOf(LONG, one)))
      .toSorted((one, other) => ORDER.indexOf(suiteOf(one)) - ORDER.indexOf(suiteOf(other)))
      .toSorted((one, other) => Number(isOf(LARGE, other)) - Number(isOf(LARGE, one)));
  }
}
