import { BaseSequencer, type TestSpecification } from "vitest/node";
import { suiteOf } from "./suite-of.ts";

/** Files that take longest, by the table of `npm test`. They begin first, so that the end of a run waits for none. */
const LONG = [
  "recorded/crossed",
  "recorded/responses-upstream",
  "integration/dump",
  "integration/ledger-laws",
  "integration/list-plans",
  "integration/erasure",
  "contract/readme",
  "contract/lame-duck",
  "contract/traces-server",
  "contract/bodies",
  "contract/forms-hostile",
  "contract/database-away",
  "contract/guide",
  "escrow/escrow.model",
];

const isLong = ({ moduleId }: TestSpecification) => LONG.some((name) => moduleId.endsWith(`${name}.test.ts`));

/** Recordings first, which need the processor and no build; contract tests late, for some wait for the build. */
const ORDER = ["recorded", "integration", "contract", "unit"];

/** The suites follow each other, the longest files of each first. */
export class SuitesInTurn extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted
      .toSorted((one, other) => Number(isLong(other)) - Number(isLong(one)))
      .toSorted((one, other) => ORDER.indexOf(suiteOf(one)) - ORDER.indexOf(suiteOf(other)));
  }
}
