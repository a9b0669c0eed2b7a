import { relative } from "node:path";
import type { TestModule, TestSpecification } from "vitest/node";

/** The folder of a test below `tests/`; a unit test is next to its code. */
export const suiteOf = ({ moduleId, project }: TestModule | TestSpecification): string =>
  /^tests\/([^/]+)\//.exec(relative(process.cwd(), moduleId))?.[1] ?? project.name;
