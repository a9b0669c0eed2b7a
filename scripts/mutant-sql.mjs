// Finds the places in the SQL of a template where a small change makes a wrong program (`npm run test:mutants`).
import ts from "typescript";

const COMPARISONS = { "<": "<=", "<=": "<", ">": ">=", ">=": ">", "=": "<>", "<>": "=" };
const SIGNS = { "+": "-", "-": "+" };

/** Words and their replacements; an empty string deletes the word. */
const WORDS = [
  [/\bgreatest\b/g, "least"],
  [/\bleast\b/g, "greatest"],
  [/\bis not null\b/g, "is null"],
  [/\bis null\b/g, "is not null"],
  [/\bnot exists\b/g, "exists"],
  [/(?<!not )\bexists\b(?=\s*\()/g, "not exists"],
  [/\bfor (?:no key )?update\b(?: of \w+)?(?: skip locked)?/g, ""],
  [/(?<=\w) desc\b/g, ""],
];

const CLAUSE = /\b(?:where|and|or|on|when|having|set|select|values|returning|from)\b/g;
const CONDITIONS = ["where", "and", "or", "on", "when", "having"];
const END_OF_CONDITION =
  /^(?:and|or|where|group|order|limit|returning|for|union|on|join|left|when|then|else|end|set|having|from|as|window)\b/;

/** The SQL at its own offsets, with interpolations, strings and comments masked. */
function maskOf(node, source) {
  const from = node.template.getStart() + 1;
  const to = node.template.getEnd() - 1;
  let mask = source.slice(from, to);
  const blot = (start, end, mark) => {
    mask = mask.slice(0, start) + mark.repeat(end - start) + mask.slice(end);
  };
  if (ts.isTemplateExpression(node.template)) {
    let start = node.template.head.getEnd() - 2;
    for (const { literal } of node.template.templateSpans) {
      blot(start - from, literal.getStart() + 1 - from, "\u00a4");
      start = literal.getEnd() - 2;
    }
  }
  for (const match of mask.matchAll(/'[^']*'|--[^\n]*/g)) {
    blot(match.index, match.index + match[0].length, match[0].startsWith("'") ? "\u00a4" : " ");
  }
  return { mask, from };
}

/** The end of the condition that begins at `start`: its clause's next word, a comma, or the parenthesis around it. */
function endOfCondition(mask, start) {
  let depth = 0;
  let isBetween = false;
  for (let at = start; at < mask.length; at++) {
    const isWord = /\w/.test(mask[at]) && !/\w/.test(mask[at - 1] ?? " ");
    const rest = isWord && depth === 0 ? mask.slice(at, at + 12) : "";
    if (/^between\b/.test(rest)) {
      isBetween = true;
    } else if (isBetween && /^and\b/.test(rest)) {
      isBetween = false;
    } else if (END_OF_CONDITION.test(rest) || (depth === 0 && /[,);]/.test(mask[at]))) {
      return at;
    }
    depth += mask[at] === "(" ? 1 : 0;
    depth -= mask[at] === ")" ? 1 : 0;
  }
  return mask.length;
}

const clauseBefore = (mask, at) => [...mask.slice(0, at).matchAll(CLAUSE)].at(-1)?.[0];

function operators(mask) {
  const found = [];
  for (const match of mask.matchAll(/(?<=\s)(?:<=|>=|<>|[<>=+-])(?=\s)/g)) {
    const [operator] = match;
    const clause = clauseBefore(mask, match.index);
    // In `set a = b` the operator assigns.
    const isComparison = clause === undefined || CONDITIONS.includes(clause);
    const text = SIGNS[operator] ?? (isComparison || operator !== "=" ? COMPARISONS[operator] : undefined);
    if (text !== undefined) {
      found.push({ kind: "sql operator", start: match.index, end: match.index + operator.length, text });
    }
  }
  return found;
}

function conditions(mask) {
  const found = [];
  for (const match of mask.matchAll(/\b(where|and|or)\b/g)) {
    const [word] = match;
    const start = match.index + word.length;
    const isOfBetween = word === "and" && /\bbetween\s(?:(?!\band\b).)*$/s.test(mask.slice(0, match.index));
    const end = endOfCondition(mask, start);
    if (!isOfBetween && mask.slice(start, end).trim() !== "") {
      const from = word === "where" ? start : match.index;
      found.push({ kind: "sql condition", start: from, end, text: word === "where" ? " true " : "" });
    }
  }
  return found;
}

const words = (mask) =>
  WORDS.flatMap(([pattern, text]) =>
    [...mask.matchAll(pattern)].map(({ index, 0: word }) => ({
      kind: "sql word",
      start: index,
      end: index + word.length,
      text,
    })),
  );

/** Changes of a tagged template's SQL, at the offsets of its file. */
export function sqlSites(node, source) {
  const { mask, from } = maskOf(node, source);
  return [...operators(mask), ...conditions(mask), ...words(mask)].map((site) => ({
    ...site,
    start: site.start + from,
    end: site.end + from,
  }));
}
