import { snakeCase } from "@/server/base/snake-case";

/** Names of members as files have them, where no schema says which names are data: rows of lists have none. */
export function inFile(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(inFile);
  }
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [snakeCase(name), inFile(inner)]))
    : value;
}
