import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The files of a project follow each other, the longest text first: a worker that goes on with the same project keeps
 * its modules, its gateway and its database, and the end of a run waits for no long file.
 */
export class ProjectsInTurn extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = this.ctx.projects.map(({ name }) => name);
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (one, other) => order.indexOf(other.project.name) - order.indexOf(one.project.name),
    );
  }
}
