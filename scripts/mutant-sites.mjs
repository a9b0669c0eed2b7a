// Finds places of a source file where a small change makes a wrong program, and samples them (`npm run
// test:mutants`).
import { createHash } from "node:crypto";
import ts from "typescript";
import { sqlSites } from "./mutant-sql.mjs";

const OPERATORS = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "&&": "||",
  "||": "&&",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "+=": "-=",
  "-=": "+=",
};

/** Drizzle's conditions and orders, each with its replacement, which a mutant imports as `mutantOf`. */
const DRIZZLE = {
  lt: "lte",
  lte: "lt",
  gt: "gte",
  gte: "gt",
  eq: "ne",
  ne: "eq",
  isNull: "isNotNull",
  isNotNull: "isNull",
  inArray: "notInArray",
  notInArray: "inArray",
  asc: "desc",
  desc: "asc",
};
const DRIZZLE_IMPORT = 'import * as mutantOf from "drizzle-orm"; ';

/** Above this number, one more or less is a matter of taste: 10,001 remembered payers break no rule. */
const LARGEST_NUMBER = 100;

const isText = (node) =>
  ts.isStringLiteralLike(node) ||
  ts.isTemplateExpression(node) ||
  (ts.isBinaryExpression(node) && (isText(node.left) || isText(node.right)));

const leaves = (statement) => {
  const last = ts.isBlock(statement) ? statement.statements.at(-1) : statement;
  return (
    last !== undefined &&
    (ts.isReturnStatement(last) || ts.isThrowStatement(last) || ts.isContinueStatement(last))
  );
};

const change = (kind, node, text) => ({ kind, start: node.getStart(), end: node.getEnd(), text });

/** No site if a change of the operator inside has the same effect. */
function negations(node) {
  const isEquality = ts.isBinaryExpression(node) && ["===", "!=="].includes(node.operatorToken.getText());
  return isEquality || ts.isPrefixUnaryExpression(node)
    ? []
    : [change("negated condition", node, `!(${node.getText()})`)];
}

function expressionSites(node) {
  if (ts.isBinaryExpression(node)) {
    const operator = node.operatorToken.getText();
    const text = isText(node.left) || isText(node.right) ? undefined : OPERATORS[operator];
    return text === undefined ? [] : [change("operator", node.operatorToken, text)];
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    return [change("negated condition", node, node.operand.getText())];
  }
  if (ts.isConditionalExpression(node)) {
    return negations(node.condition);
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword) {
    return [change("boolean", node, node.getText() === "true" ? "false" : "true")];
  }
  if (ts.isNumericLiteral(node) || ts.isBigIntLiteral(node)) {
    const number = Number(node.getText().replaceAll("_", "").replace(/n$/, ""));
    const suffix = ts.isBigIntLiteral(node) ? "n" : "";
    return Number.isInteger(number) && number <= LARGEST_NUMBER
      ? [number + 1, ...(number > 0 ? [number - 1] : [])].map((value) =>
          change("number", node, `${value}${suffix}`),
        )
      : [];
  }
  return [];
}

function callSites(node) {
  const { expression: callee, arguments: parts } = node;
  const name = callee.getText();
  if (["and", "or"].includes(name) && parts.length > 1) {
    return parts
      .filter((part) => part.getText() !== "undefined")
      .map((part) => change("condition", part, "undefined"));
  }
  if (Object.hasOwn(DRIZZLE, name)) {
    return [change("condition", callee, `mutantOf.${DRIZZLE[name]}`)];
  }
  return ts.isPropertyAccessExpression(callee) && callee.name.text === "for"
    ? [change("row lock", node, callee.expression.getText())]
    : [];
}

function statementSites(node) {
  if (ts.isIfStatement(node)) {
    const guard = node.elseStatement === undefined && leaves(node.thenStatement);
    return [...negations(node.expression), ...(guard ? [change("guard", node.thenStatement, "{}")] : [])];
  }
  const called = ts.isAwaitExpression(node.expression) ? node.expression.expression : node.expression;
  return ts.isCallExpression(called) && !/^(?:log|console)\./.test(called.getText())
    ? [change("call", node, ";")]
    : [];
}

function sitesAt(node, source) {
  if (ts.isIfStatement(node) || ts.isExpressionStatement(node)) {
    return statementSites(node);
  }
  if (ts.isCallExpression(node)) {
    return callSites(node);
  }
  return ts.isTaggedTemplateExpression(node) ? sqlSites(node, source) : expressionSites(node);
}

const isOfTypes = (node) =>
  ts.isTypeNode(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isImportDeclaration(node);

/** The file's text with one change. */
export function applySite(source, { start, end, text }) {
  const head = text.startsWith("mutantOf.") ? DRIZZLE_IMPORT : "";
  return head + source.slice(0, start) + text + source.slice(end);
}

const short = (text) => text.replace(/\s+/g, " ").trim().slice(0, 140);

/** A change for people to read: the line before and after, or the change of several lines. */
function describe(source, { start, end, text }) {
  const lineStart = source.lastIndexOf("\n", start) + 1;
  const nextLine = source.indexOf("\n", end);
  const lineEnd = nextLine < 0 ? source.length : nextLine;
  const before = source.slice(lineStart, lineEnd);
  const after = source.slice(lineStart, start) + text + source.slice(end, lineEnd);
  return { before: short(before), after: short(after) };
}

/**
 * All sites of a file, in order. `key` stays the same when other lines of the file change, so that a site is found in
 * another revision, and a seed draws it there too.
 */
export function sitesOf(file, source) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node) => {
    if (!isOfTypes(node)) {
      found.push(...sitesAt(node, source));
      ts.forEachChild(node, visit);
    }
  };
  visit(tree);
  const seen = new Map();
  return found.map((site) => {
    const { before, after } = describe(source, site);
    const name = [file, site.kind, before, after].join(" | ");
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    const line = tree.getLineAndCharacterOfPosition(site.start).line + 1;
    return { ...site, file, line, before, after, key: `${name} | ${count}` };
  });
}

/** Draws `sample` of the sites: the same ones for the same seed. */
export function drawSites(sites, { sample, seed }) {
  const rank = ({ key }) => createHash("sha256").update(`${seed} ${key}`).digest("hex");
  return sites
    .map((site) => ({ site, rank: rank(site) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, sample)
    .map(({ site }) => site);
}
