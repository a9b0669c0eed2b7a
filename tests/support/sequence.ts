import { BaseSequencer, type TestSpecification } from "vitest/node";

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

/**
 * The files of a project follow each other, the longest first: a worker that goes on with the same project keeps its
 * modules, its gateway and its database.
 */
export class ProjectsInTurn extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = this.ctx.projects.map(({ name }) => name);
    const sorted = await super.sort(files);
    return sorted
      .toSorted((one, other) => Number(isLong(other)) - Number(isLong(one)))
      .toSorted((one, other) => order.indexOf(other.project.name) - order.indexOf(one.project.name));
  }
}
