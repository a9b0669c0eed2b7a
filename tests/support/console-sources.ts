import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";

export const sources = new Map(
  globSync("app/**/*.{ts,tsx}")
    .filter((path) => !/\.test\.tsx?$/.test(path))
    .map((path) => [
      path,
      ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true),
    ]),
);

function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  for (const child of node.getChildren()) {
    yield* nodesOf(child);
  }
}

const nodes = new Map([...sources].map(([path, source]) => [path, [...nodesOf(source)]]));
export const nodesIn = (path: string) => nodes.get(path) ?? [];

/** The module that a statement or a call loads; types load none. */
function moduleOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isImportDeclaration(node)) {
    return node.importClause?.isTypeOnly ? undefined : node.moduleSpecifier;
  }
  if (ts.isExportDeclaration(node)) {
    return node.moduleSpecifier;
  }
  return ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
    ? node.arguments[0]
    : undefined;
}

/** The modules that a module loads, as files of `app`. */
export function importsOf(path: string): string[] {
  return nodesIn(path).flatMap((node) => {
    const name = moduleOf(node);
    if (!name || !ts.isStringLiteral(name) || !/^(\.|@\/app\/)/.test(name.text)) {
      return [];
    }
    const target = name.text.startsWith("@/") ? name.text.slice(2) : join(dirname(path), name.text);
    return [target, `${target}.ts`, `${target}.tsx`, `${target}/index.ts`].filter((each) =>
      sources.has(each),
    );
  });
}

export function closureOf(path: string, visited = new Set<string>()): Set<string> {
  if (!visited.has(path)) {
    visited.add(path);
    for (const each of importsOf(path)) {
      closureOf(each, visited);
    }
  }
  return visited;
}
