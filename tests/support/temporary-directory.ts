import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A directory that exists until all files in it have been closed. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "tollgate-test-"));
  afterAll(() => rm(path, { recursive: true, force: true }));
  return path;
}
