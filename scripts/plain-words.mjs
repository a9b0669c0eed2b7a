// `npm run plain-words [-- --list] [FOLDERS]`: how often comments, docs and English texts use words that make a stranger
// read twice. Fails above a limit. `--list` prints each place.
import { globSync, readFileSync } from "node:fs";
import { parseSync } from "oxc-parser";

/** Uses per 1,000 words. Six well-written projects of this kind have 0 to 0.17. */
const RULES = [
  { name: "a sentence that begins with What", most: 0.3, pattern: /^What\b(?!.*\?$)/ },
  { name: "whoever, nobody, somebody", most: 0.3, pattern: /\b(?:whoever|nobody|somebody)\b/gi },
  { name: "told of", most: 0.1, pattern: /\btold of\b/gi },
  { name: "beside", most: 0.1, pattern: /\bbeside\b/gi },
  { name: "anew", most: 0.1, pattern: /\banew\b/gi },
  { name: "likewise", most: 0.1, pattern: /\blikewise\b/gi },
  { name: "of its own", most: 0.1, pattern: /\bof\s+(?:its|their|our|one.s)\s+own\b/gi },
];

const SOURCES = ["{app,server,scripts,tests,ops}/**/*.{ts,tsx,mjs}", "*.{ts,mjs}"];
const DOCS = ["*.md", "{docs,deploy,ops}/**/*.md"];
const TEXTS = ["app/**/en/*.json"];

const lineOf = (text, place) => text.slice(0, place).split("\n").length;

/** The comments of a source file as prose; line comments that follow each other are one. */
function commentsIn(path, source) {
  const found = [];
  let end = -1;
  for (const comment of parseSync(path, source).comments) {
    const text = comment.value.replace(/^\s*\*+ ?/gm, "").trim();
    const last = found.at(-1);
    if (last && comment.type === "Line" && last.isLine && source.slice(end, comment.start).trim() === "") {
      last.text += `\n${text}`;
    } else {
      found.push({ line: lineOf(source, comment.start), text, isLine: comment.type === "Line" });
    }
    end = comment.end;
  }
  return found.filter(({ text }) => !/^(?:biome-ignore|@|#)/.test(text));
}

/** The paragraphs of a page, without its code. */
function paragraphsIn(_path, page) {
  const prose = page.replace(/```[\s\S]*?```/g, (code) => code.replace(/[^\n]+/g, ""));
  const found = [];
  let line = 1;
  for (const paragraph of prose.split(/\n(?=\s*\n|\s*[-*|#\d])/)) {
    // Quotes are names of tests, which this measure leaves out.
    found.push({ line, text: paragraph.replace(/`[^`]*`/g, "code").replace(/"[^"]*"/g, "quote") });
    line += paragraph.split("\n").length;
  }
  return found;
}

const textsIn = (_path, json) =>
  json.split("\n").flatMap((row, at) => {
    const text = /:\s*"(.*)",?$/.exec(row)?.[1];
    return text === undefined ? [] : [{ line: at + 1, text }];
  });

const sentencesOf = (text) =>
  text
    .replace(/^\s*(?:[-*|#>]+|\d+\.)\s*/gm, "")
    .split(/(?<=[.!?])\s+|\n\s*\n|\s\|\s/)
    .map((sentence) => sentence.replace(/\s+/g, " ").trim());

const usesIn = ({ pattern }, text) =>
  pattern.global
    ? [...text.matchAll(pattern)].length
    : sentencesOf(text).filter((sentence) => pattern.test(sentence)).length;

const words = process.argv.slice(2);
const isListed = words.includes("--list");
const folders = words.filter((word) => !word.startsWith("--"));
const isWanted = (path) =>
  !path.includes("node_modules/") &&
  (folders.length === 0 || folders.some((folder) => path.startsWith(folder)));

let isPlain = true;
for (const [kind, globs, read] of [
  ["comments", SOURCES, commentsIn],
  ["docs", DOCS, paragraphsIn],
  ["texts", TEXTS, textsIn],
]) {
  const pieces = globSync(globs)
    .filter(isWanted)
    .flatMap((path) => read(path, readFileSync(path, "utf8")).map((piece) => ({ path, ...piece })));
  const total = pieces.reduce((sum, { text }) => sum + text.split(/\s+/).length, 0);
  console.log(`${kind}: ${total} words`);
  for (const rule of RULES) {
    const found = pieces
      .map((piece) => ({ ...piece, uses: usesIn(rule, piece.text) }))
      .filter(({ uses }) => uses);
    const uses = found.reduce((sum, piece) => sum + piece.uses, 0);
    const rate = total === 0 ? 0 : (1000 * uses) / total;
    isPlain &&= rate <= rule.most;
    console.log(
      `  ${rate.toFixed(2).padStart(6)} of ${rule.most}  ${String(uses).padStart(4)}  ${rule.name}`,
    );
    for (const { path, line, text } of isListed ? found : []) {
      console.log(`      ${path}:${line} ${text.replace(/\s+/g, " ").slice(0, 160)}`);
    }
  }
}
process.exitCode = isPlain ? 0 : 1;
