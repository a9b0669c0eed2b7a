import { globSync, readFileSync } from "node:fs";
import ts from "typescript";
import { expect, test } from "vitest";

const parse = (path: string, text: string) => ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);

/** The product's files that contain `word` and so could break the rule. */
const filesWith = (word: string) =>
  globSync(["server/**/*.ts", "app/**/*.{ts,tsx}"])
    .filter((path) => !path.includes(".test."))
    .map((path) => ({ path, text: readFileSync(path, "utf8") }))
    .filter(({ text }) => text.includes(word))
    .map(({ path, text }) => parse(path, text));

function findAll(file: ts.SourceFile, isWrong: (node: ts.Node) => boolean): string[] {
  const violations: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isWrong(node)) {
      violations.push(`${file.fileName}: ${node.getText().slice(0, 100)}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return violations;
}

/**
 * Whether a node is a Drizzle update or delete (`ormOf(db).update(t)`) without a `where` in its chain of calls. The
 * linter only sees variables.
 */
function changesEverything(node: ts.Node): boolean {
  const isChange =
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    ["update", "delete"].includes(node.expression.name.text) &&
    /^(?:ormOf\(|orm\b)/.test(node.expression.expression.getText());
  if (!isChange) {
    return false;
  }
  const called: string[] = [];
  for (let at: ts.Node = node; ts.isPropertyAccessExpression(at.parent); at = at.parent.parent) {
    called.push(at.parent.name.text);
  }
  return !called.includes("where");
}

/** Whether a node throws an error in a catch clause without naming the caught error. */
function losesItsCause(node: ts.Node): boolean {
  if (!ts.isThrowStatement(node) || !ts.isNewExpression(node.expression)) {
    return false;
  }
  const clause = ts.findAncestor(node, (at) => ts.isCatchClause(at) || ts.isFunctionLike(at));
  if (clause === undefined || !ts.isCatchClause(clause)) {
    return false;
  }
  const caught = clause.variableDeclaration?.name.getText();
  return caught === undefined || !new RegExp(`\\bcause: ${caught}\\b`).test(node.expression.getText());
}

/** Whether a node is a generator function that other code makes each time it runs, or a generator in an object literal. */
function isGeneratorOfEachRun(node: ts.Node): boolean {
  const isGenerator =
    (ts.isFunctionExpression(node) || ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) &&
    node.asteriskToken !== undefined;
  // A method of a class is made once, with its class. A property's value is made with each object.
  const maker = ts.isClassLike(node.parent) ? node.parent.parent : node.parent;
  return (
    isGenerator &&
    ts.findAncestor(maker, (at) => ts.isFunctionLike(at) || ts.isPropertyDeclaration(at)) !== undefined
  );
}

const nameOf = (called: ts.Expression) =>
  (ts.isPropertyAccessExpression(called) ? called.name : called).getText();

/** The names of vitest's hooks, and of the functions in these files that register some when they are called. */
function hooksIn(files: ts.SourceFile[]): Set<string> {
  const hooks = new Set(["beforeAll", "afterAll", "beforeEach", "afterEach"]);
  const callsHook = (node: ts.Node): boolean =>
    (ts.isCallExpression(node) && hooks.has(nameOf(node.expression))) ||
    ts.forEachChild(node, (child) => callsHook(child) || undefined) === true;
  const functions = files.flatMap((file) =>
    file.statements.flatMap((statement): { name: string; body: ts.Node }[] => {
      if (ts.isFunctionDeclaration(statement) && statement.name) {
        return [{ name: statement.name.text, body: statement }];
      }
      const declared = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [];
      return declared.flatMap(({ name, initializer }) =>
        initializer && ts.isFunctionLike(initializer) ? [{ name: name.getText(), body: initializer }] : [],
      );
    }),
  );
  for (let before = -1; before < hooks.size; ) {
    before = hooks.size;
    for (const { name, body } of functions) {
      if (callsHook(body)) {
        hooks.add(name);
      }
    }
  }
  return hooks;
}

/** Whether a node registers a hook when its module is loaded. */
const hooksAtLoad =
  (hooks: Set<string>) =>
  (node: ts.Node): boolean =>
    ts.isCallExpression(node) &&
    hooks.has(nameOf(node.expression)) &&
    ts.findAncestor(node, ts.isFunctionLike) === undefined;

/** Libraries that few installations use. Each takes 40 to 60 ms of processor time when a process starts. */
const RARE = ["ioredis", "nodemailer", "stripe"];

/** Whether a node loads such a library together with its module; an import of types loads nothing. */
const loadsRareLibrary = (node: ts.Node): boolean =>
  ts.isImportDeclaration(node) &&
  ts.isStringLiteral(node.moduleSpecifier) &&
  RARE.includes(node.moduleSpecifier.text) &&
  !node.importClause?.isTypeOnly;

test("each update and delete of Drizzle's has a where", () => {
  const probe = parse(
    "probe.ts",
    "ormOf(tx).delete(t); orm.update(t).set({}); orm.update(t).set({}).where(a); ormOf(d).delete(t).where(b);",
  );
  expect(findAll(probe, changesEverything)).toHaveLength(2);
  expect(filesWith("ormOf").flatMap((file) => findAll(file, changesEverything))).toEqual([]);
});

test("an error that is thrown in a catch clause has the caught error as its cause", () => {
  const probe = parse(
    "probe.ts",
    'try { f(); } catch (error) { throw new Error("x"); } try { f(); } catch { throw new Error("x"); }' +
      'try { f(); } catch (error) { throw new Fault("broken", "x", { cause: error }); }',
  );
  expect(findAll(probe, losesItsCause)).toHaveLength(2);
  expect(filesWith("catch").flatMap((file) => findAll(file, losesItsCause))).toEqual([]);
});

test("no call makes a generator function for itself", () => {
  // V8 makes a hidden class in old memory for each one that runs, and it keeps the call alive (decision 92).
  const probe = parse(
    "probe.ts",
    "function* one() {} const two = function* () {}; class Three { *steps() {} } const calls = { *steps() {} };" +
      "const four = () => ({ steps: function* () {}, *more() {} }); function five() { async function* all() {} }" +
      "class Six { steps = function* () {} } function seven() { return class { *steps() {} }; }",
  );
  expect(findAll(probe, isGeneratorOfEachRun)).toHaveLength(5);
  const files = filesWith("*").filter(({ fileName }) =>
    /^server\/(?:gateway|protocol|upstream)\//.test(fileName),
  );
  expect(files.length).toBeGreaterThan(200);
  expect(files.flatMap((file) => findAll(file, isGeneratorOfEachRun))).toEqual([]);
});

test("libraries for Redis, e-mails and payments are loaded when they are first needed", () => {
  const probe = parse(
    "probe.ts",
    'import { Redis } from "ioredis"; import type { Redis } from "ioredis"; const x = await import("nodemailer"); import "stripe";',
  );
  expect(findAll(probe, loadsRareLibrary)).toHaveLength(2);
  const files = RARE.flatMap(filesWith);
  expect(files.length).toBeGreaterThanOrEqual(RARE.length);
  expect(files.flatMap((file) => findAll(file, loadsRareLibrary))).toEqual([]);
});

test("no module of the tests' support registers hooks when it is loaded", () => {
  // A worker loads it once, and its hooks would belong to the first test file that does.
  const probe = parse(
    "probe.ts",
    "function home() { afterAll(end); } const room = () => home(); v.afterAll(end); export const a = room(); () => room();",
  );
  expect(findAll(probe, hooksAtLoad(hooksIn([probe])))).toHaveLength(2);
  // vitest runs this one before each file.
  const modules = globSync("tests/**/*.ts").filter(
    (path) => !path.endsWith(".test.ts") && path !== "tests/support/file-times-setup.ts",
  );
  const files = modules.map((path) => parse(path, readFileSync(path, "utf8")));
  const hooks = hooksIn(files);
  expect([...hooks]).toContain("fileInstallations");
  expect(files.flatMap((file) => findAll(file, hooksAtLoad(hooks)))).toEqual([]);
});
