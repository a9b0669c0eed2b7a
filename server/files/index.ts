/**
 * Configuration as files: objects of an installation in YAML. Hides the format, the lines of members, the order of
 * changes and the comparison. Promises that files change objects only by operations, that a second apply of the same
 * files changes nothing, that it prunes only objects that an apply created, and that it shows no secret.
 */
import { wireSchema } from "@/server/base/wire-names";
import { declaredSchema, readDesired } from "./desired";
import type { Environment } from "./secret";
import { readSources } from "./source";

export { apply, type Result } from "./apply";
export { exportFiles } from "./export";
export { inFile } from "./in-file";
export { failureLines, textOf } from "./text";

/** Reads the objects of files and folders. Throws InvalidFiles. */
export const readFiles = async (paths: readonly string[], env: Environment) =>
  await readDesired(await readSources(paths), env);

/** Text may be written as a number: `price: 0.8` is read as it is written. */
function withNumbers(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withNumbers);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const own = Object.entries(value).map(([name, inner]) => [name, withNumbers(inner)] as const);
  const isText = "type" in value && value.type === "string" && !("enum" in value) && !("format" in value);
  return Object.fromEntries(isText ? [...own, ["type", ["string", "number"]]] : own);
}

/** The JSON schema of a file, for editors. */
export const fileSchema = () => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Configuration files of Tollgate",
  ...(withNumbers(wireSchema(declaredSchema)) as object),
});
