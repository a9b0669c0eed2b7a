import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { number, table, writeBlock } from "@/tests/load/tables";

/** Milliseconds. `firstMs`: to the first row; `processorMs`: of the server and PostgreSQL until the page is complete. */
export type Measured = {
  kind: "page" | "list";
  name: string;
  firstMs: number;
  processorMs: number;
};

const FILE = "page-speed-results.json";

export const writeResults = (folder: string, results: Measured[]): void =>
  writeFileSync(join(folder, FILE), JSON.stringify(results));

/** The results of every installation next to this one, the smallest first. */
function readResults(folder: string): { calls: number; results: Measured[] }[] {
  const parent = dirname(folder);
  return readdirSync(parent)
    .map((name) => ({ calls: Number(name), file: join(parent, name, FILE) }))
    .filter(({ calls, file }) => calls > 0 && existsSync(file))
    .sort((left, right) => left.calls - right.calls)
    .map(({ calls, file }) => ({ calls, results: JSON.parse(readFileSync(file, "utf8")) as Measured[] }));
}

/** Writes the tables of pages and of lists into docs/console-speed.md. */
export function writeTables(folder: string): void {
  const all = readResults(folder);
  const titles = all.flatMap(({ calls }) => [`${calls.toLocaleString("en")} calls`, "processor"]);
  const tableOf = (kind: Measured["kind"]) => {
    const names = new Set(
      all.flatMap(({ results }) => results.flatMap((row) => (row.kind === kind ? row.name : []))),
    );
    const rows = [...names].map((name) => [
      name,
      ...all.flatMap(({ results }) => {
        const found = results.find((row) => row.kind === kind && row.name === name);
        return found ? [number(found.firstMs, 0), number(found.processorMs, 0)] : ["—", "—"];
      }),
    ]);
    return table([kind, ...titles], rows);
  };
  writeBlock("page-speed", `${tableOf("page")}\n\n${tableOf("list")}`, "docs/console-speed.md");
}
