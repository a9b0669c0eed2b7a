/** Colours for code: enough for short examples, without a parser of each language. */

type Kind = "comment" | "string" | "keyword" | "number" | "variable";
type CodePiece = { text: string; kind: Kind | null };

const HASH = "(?<!\\S)#[^\\n]*";
const SLASHES = "//[^\\n]*";
const NUMBER = "\\b\\d[\\d_.]*\\b";
const words = (text: string) => `\\b(?:${text.replaceAll(" ", "|")})\\b`;
const quoted = (marks: string) =>
  [...marks].map((mark) => `${mark}(?:\\\\[\\s\\S]|[^${mark}\\\\])*${mark}`).join("|");

const script = {
  comment: SLASHES,
  string: quoted("\"'`"),
  keyword: words(
    "import from export const let new await async for of if else try catch return function true false null",
  ),
  number: NUMBER,
};
// A shell's single quotes have no escapes.
const shell = {
  comment: HASH,
  string: `${quoted('"')}|'[^']*'`,
  variable: "\\$\\w+|\\b[A-Z][A-Z_]+(?==)",
  keyword: words("curl export npm npx docker kubectl helm psql git go pip"),
};
const data = { comment: HASH, string: quoted('"'), keyword: words("true false null"), number: NUMBER };

const grammars: Record<string, Partial<Record<Kind, string>>> = {
  sh: shell,
  js: script,
  ts: script,
  go: {
    comment: SLASHES,
    string: quoted('"`'),
    keyword: words(
      "package import func var const type struct map if else for range return nil true false any",
    ),
    number: NUMBER,
  },
  python: {
    comment: HASH,
    string: quoted("\"'"),
    keyword: words(
      "import from as for in if elif else try except with def return not and or None True False",
    ),
    number: NUMBER,
  },
  json: data,
  yaml: { ...data, variable: "^[ -]*[\\w.-]+(?=:)" },
  toml: { ...data, variable: "^\\[.*\\]|^[\\w.-]+(?= =)" },
  sql: {
    comment: "--[^\\n]*",
    string: "'[^']*'",
    keyword: words(
      "select insert update delete create alter grant drop from where into table role to on in with set",
    ),
  },
};

const patterns = new Map(
  Object.entries(grammars).map(([language, grammar]) => [
    language,
    new RegExp(
      Object.entries(grammar)
        .map(([kind, source]) => `(?<${kind}>${source})`)
        .join("|"),
      "gm",
    ),
  ]),
);

/** The code in pieces, whose texts add up to it. A language without a grammar is one piece. */
export function piecesOf(code: string, language: string): CodePiece[] {
  const pattern = patterns.get(language);
  const pieces: CodePiece[] = [];
  let end = 0;
  for (const { 0: text, index, groups = {} } of pattern ? code.matchAll(pattern) : []) {
    const kind = (Object.keys(groups) as Kind[]).find((name) => groups[name] !== undefined) ?? null;
    pieces.push({ text: code.slice(end, index), kind: null }, { text, kind });
    end = index + text.length;
  }
  return [...pieces, { text: code.slice(end), kind: null }].filter(({ text }) => text !== "");
}
