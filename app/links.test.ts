import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";

const isSource = (path: string) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path);

const sources = new Map(
  globSync("app/**/*.{ts,tsx}")
    .filter(isSource)
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
const nodesIn = (path: string) => nodes.get(path) ?? [];

/**
 * `app/(console)/keys/[keyId]/page.tsx` as what a path is held to: `[keyId]` is one segment, `[...path]` at least one.
 */
function patternOf(file: string): RegExp {
  const segments = dirname(file)
    .split("/")
    .slice(1)
    .filter((segment) => !segment.startsWith("("))
    .map((segment) => segment.replace(/^\[\.\.\..+\]$/, ".+").replace(/^\[.+\]$/, "[^/]+"));
  return new RegExp(`^/${segments.join("/")}$`);
}

const pages = [...sources.keys()].filter((path) => /(^|\/)(page|route)\.tsx?$/.test(path));
const pageAt = (path: string) => {
  const found = pages.filter((file) => patternOf(file).test(path));
  // A name goes before a parameter, as with Next: `/channels/new` is no channel.
  return found.toSorted((left, right) => left.split("[").length - right.split("[").length)[0];
};

/** The module that a statement or a call fetches; types need none. */
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

/** What a module needs, as files of `app`. */
function importsOf(path: string): string[] {
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

function closureOf(path: string, known = new Set<string>()): Set<string> {
  if (!known.has(path)) {
    known.add(path);
    for (const each of importsOf(path)) {
      closureOf(each, known);
    }
  }
  return known;
}

/** Query parameters that a module reads: by nuqs, or out of a page's `searchParams`. */
function readBy(path: string): string[] {
  return nodesIn(path).flatMap((node) => {
    if (ts.isCallExpression(node) && node.expression.getText() === "useQueryState") {
      const [name] = node.arguments;
      return name && ts.isStringLiteral(name) ? [name.text] : [];
    }
    if (ts.isPropertyAssignment(node) && /^parseAs\w/.test(node.initializer.getText())) {
      return [node.name.getText()];
    }
    if (ts.isVariableDeclaration(node) && node.initializer?.getText() === "await searchParams") {
      return ts.isObjectBindingPattern(node.name)
        ? node.name.elements.map((element) => (element.propertyName ?? element.name).getText())
        : [];
    }
    return [];
  });
}

const parametersAt = new Map(
  pages
    .filter((path) => path.endsWith("page.tsx"))
    .map((path) => [path, new Set([...closureOf(path)].flatMap(readBy))]),
);

const isText = (
  node: ts.Node,
): node is ts.StringLiteral | ts.NoSubstitutionTemplateLiteral | ts.TemplateExpression =>
  ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

function scopeOf(node: ts.Node): ts.Node {
  return ts.isBlock(node) || ts.isSourceFile(node) ? node : scopeOf(node.parent);
}

/** What a name holds, by the declarations of the same file that it sees. */
const heldBy = (name: ts.Identifier): ts.Node[] =>
  nodesIn(name.getSourceFile().fileName).filter(
    (node) =>
      ts.isVariableDeclaration(node) &&
      node.initializer !== undefined &&
      node.name.getText() === name.text &&
      [...nodesOf(scopeOf(node))].includes(name),
  );

const isPath = (text: string) => /^\/([a-z]|$|\?)/.test(text);

/** The paths that an expression at the head of a text can stand for. */
const headsOf = (expression: ts.Expression): string[] =>
  ts.isIdentifier(expression)
    ? heldBy(expression).flatMap((node) =>
        [...nodesOf(node)].filter(isText).flatMap(targetsOf).filter(isPath),
      )
    : [];

/**
 * A value in the midst of a text: what `URLSearchParams` is made of is a query, anything else one segment or value.
 */
function fillingOf(expression: ts.Expression): string {
  const made = ts.isIdentifier(expression) ? heldBy(expression) : [expression];
  const names = made
    .flatMap((node) => [...nodesOf(node)])
    .filter((node) => ts.isNewExpression(node) && node.expression.getText() === "URLSearchParams")
    .flatMap((node) => [...nodesOf(node)])
    .filter((node) => ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node))
    .map((node) => `${node.name.getText()}=x`);
  return names.length > 0 ? names.join("&") : "x";
}

/** A text with its values filled in; a text that begins with a value is one for each path that this can be. */
function targetsOf(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node)) {
    return [node.text];
  }
  if (!ts.isTemplateExpression(node)) {
    return [];
  }
  const [first, ...others] = node.templateSpans;
  const rest = (spans: readonly ts.TemplateSpan[]) =>
    spans.map((span) => `${fillingOf(span.expression)}${span.literal.text}`).join("");
  if (node.head.text !== "" || !first) {
    return [`${node.head.text}${rest(node.templateSpans)}`];
  }
  if (!/^[?&]\w+=/.test(first.literal.text)) {
    return [];
  }
  const heads = headsOf(first.expression);
  // Not to be followed, and so a finding: it is to be written in a way that can be.
  return (heads.length > 0 ? heads : [`/${first.expression.getText()}`]).map(
    (head) => `${head}${first.literal.text}${rest(others)}`,
  );
}

/** Below it each call has an address of its own. */
const TRPC = "/api/trpc";

/** Every text of the console that names a place in it: more than its links, and all of them. */
const targets = [...sources.keys()].flatMap((file) =>
  nodesIn(file)
    .filter(isText)
    .flatMap(targetsOf)
    .filter((text) => isPath(text) && text !== TRPC)
    .map((text) => ({ file, text, url: new URL(text, "http://console.test") })),
);

test("there is something to prove", () => {
  const texts = targets.map(({ text }) => text);
  expect(texts).toEqual(
    expect.arrayContaining([
      "/keys?create=true",
      "/all-requests?request=x",
      "/all-requests?from=x&status=failed",
      "/playground?tab=x&model=x",
      "/sign-in?notice=x&to=x",
      "/accounts/x",
    ]),
  );
  expect(pageAt("/channels/new")).toBe("app/(console)/channels/new/page.tsx");
  expect(pageAt("/nowhere")).toBeUndefined();
});

describe("every place that the console names", () => {
  test("exists", () => {
    const lost = targets.filter(({ url }) => pageAt(url.pathname) === undefined);
    expect(lost.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
  });

  test("reads every query parameter that it is given", () => {
    const unread = targets.flatMap(({ file, text, url }) => {
      const known = parametersAt.get(pageAt(url.pathname) ?? "");
      const names = [...url.searchParams.keys()].filter((name) => known?.has(name) === false);
      return names.map((name) => `${file}: ${text}: ${name}`);
    });
    expect(unread).toEqual([]);
  });
});
