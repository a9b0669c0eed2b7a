import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { programFolder } from "@/server/base/built";

let build: string | undefined;

/** The identifier of this build, by which an open page notices that it is older; empty if nothing was built. */
export function buildId(): string {
  if (build === undefined) {
    const path = join(programFolder(), ".next", "BUILD_ID");
    build = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
  }
  return build;
}
