import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The Go that runs the documentation's examples: the program that `REFERENCE_GO` names. It fetches the SDKs of
 * tests/reference/go.mod. null, with a printed notice: then no example in Go runs.
 */
export function findGo(): string | null {
  const { REFERENCE_GO: go } = process.env;
  if (go) {
    return go;
  }
  console.warn("not run: examples in Go, for REFERENCE_GO names no Go (docs/testing.md)");
  return null;
}

/** The words after `go` that run an example with the SDKs. */
export function goWords(code: string): string[] {
  const directory = mkdtempSync(join(tmpdir(), "tollgate-go-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, "main.go");
  writeFileSync(file, code);
  return ["run", "-C", "tests/reference", file];
}

/** Packages that an example imports and does not use, or uses and does not import: Go compiles neither. */
export function wrongImports(code: string): string[] {
  const block = /^import \(\n([\s\S]*?)\n\)/m.exec(code)?.[1] ?? "";
  const paths = [...block.matchAll(/"([^"]+)"/g)].map(([, path = ""]) => path);
  const imported = paths.map(nameOf);
  const bare = code.replace(block, "").replace(/"(?:\\.|[^"\\])*"/g, '""');
  const locals = new Set(
    [...bare.matchAll(/\b([a-z]\w*)(?:, (\w+))?(?:, (\w+))? :?= |\bvar (\w+) /g)].flatMap((found) =>
      found.slice(1),
    ),
  );
  const used = new Set([...bare.matchAll(/(?<![\w.])([a-z]\w*)\.[A-Z]/g)].map(([, name = ""]) => name));
  return [
    ...imported.filter((name) => !used.has(name)),
    ...[...used].filter((name) => !imported.includes(name) && !locals.has(name)),
  ];
}

/** The name of a package by its path; the SDKs' folders have longer names than their packages. */
const nameOf = (path: string): string =>
  (path.split("/").findLast((part) => !/^v\d+$/.test(part)) ?? "").replace(/^(\w+)(-sdk)?-go$/, "$1");
