import { afterAll } from "vitest";
import { type OverheadTimes, takeTimes } from "./file-times";

declare module "vitest" {
  interface TaskMeta {
    /** Only in the meta of a file. */
    spent?: OverheadTimes;
  }
}

// A setup file: vitest runs it before each test file. Time between two files belongs to neither.
takeTimes();

afterAll(({}, { file }) => {
  file.meta.spent = takeTimes();
});
