import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { kinds } from "@/server/base/error-kinds";

/** The contract is several pages, with one numbering. */
const page = globSync("docs/spec*.md")
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");

/** "4.2": a section; "4.2 rule 3": an item of its numbered list. */
const places = new Set(
  page.split(/^##+ (?=\d)/m).flatMap((section) => {
    const number = /^\d+(?:\.\d+)?/.exec(section)?.[0] ?? "";
    const rules = [...section.matchAll(/^(\d+)\. /gm)].map(([, rule]) => `${number} rule ${rule}`);
    return [number, ...rules];
  }),
);

const number = String.raw`\d(?:\.\d)?\b`;
const citation = new RegExp(
  String.raw`\bspec(?:'s)?(?: sections?)? (${number}(?:(?:, | and )${number})*)(?: (rule \d))?`,
  "g",
);

/** The citations in a text: "spec 4.4", "spec section 7", "spec sections 4.5, 4.6 and 7", also across line breaks. */
const citedIn = (text: string): string[] =>
  [...text.replace(/\s+(?:(?:\*|\/\/) )?/g, " ").matchAll(citation)].flatMap(([, numbers = "", rule]) =>
    numbers.split(/, | and /).map((section) => (rule ? `${section} ${rule}` : section)),
  );

test("docs/spec*.md have every section and every rule that code, tests and documents cite", () => {
  expect(
    citedIn(
      "/** Of spec section\n * 7, and 503; spec sections 4.5, 4.6 and 8, and 429 (spec 4.2 rule 3). */",
    ),
  ).toEqual(["7", "4.5", "4.6", "8", "4.2 rule 3"]);
  const paths = globSync(["{server,app,tests}/**/*.{ts,tsx}", "docs/**/*.md"]);
  const cited = paths.flatMap((path) =>
    citedIn(readFileSync(path, "utf8")).map((place) => `${place} in ${path}`),
  );
  expect(cited.length).toBeGreaterThan(50);
  expect(cited.filter((line) => !places.has(line.split(" in ")[0] ?? ""))).toEqual([]);
});

/** The text of a kind with a placeholder for its detail, in both languages. */
function textsOf(
  text: (typeof kinds)[keyof typeof kinds]["text"],
  detail: string,
): [zh: string, en?: string] {
  const message = text === "explained" ? { zh: detail, en: detail } : text(detail);
  return typeof message === "string" ? [message] : [message.zh, message.en];
}

test("docs/spec*.md have the gateway's refusals: status, name and text in each language", () => {
  const rows = [...page.matchAll(/^\| (\d{3}) \| `(\w+)` \|(.+)\|$/gm)].map(
    ([, status, slug, cells = ""]) => {
      const words = cells.split("|").map((cell) => cell.trim());
      return { status: Number(status), slug, words: words.slice(0, -1) };
    },
  );
  const placeholders = new Map(
    rows.map(({ slug, words }) => [slug, /<.+?>/.exec(words.join(" "))?.[0] ?? ""]),
  );
  const refusals = Object.values(kinds).map(({ status, slug, text }) => ({
    status,
    slug,
    words: textsOf(text, placeholders.get(slug) ?? ""),
  }));
  const bySlug = (left: { slug?: string }, right: { slug?: string }) =>
    (left.slug ?? "") < (right.slug ?? "") ? -1 : 1;
  expect(rows.sort(bySlug)).toEqual(refusals.sort(bySlug));
});
