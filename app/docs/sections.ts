/** A page in sections: a heading with the text below it, up to the next heading. */
import type { Token, Tokens } from "marked";
import { type Heading, headings, plain, wordsOf } from "./headings";

export type Section = { heading: Heading | null; text: string };

/** Deeper headings belong to the section above them. */
const DEEPEST = 3;

const cellsOf = ({ header, rows }: Tokens.Table) =>
  [header, ...rows].map((cells) => cells.map(({ tokens }) => wordsOf(tokens)).join(" · ")).join("\n");

/** The words of a block, without markup and comments. */
function textOfBlock(token: Token): string {
  switch (token.type) {
    case "table":
      return cellsOf(token as Tokens.Table);
    case "list":
      return (token as Tokens.List).items.map((item) => item.tokens.map(textOfBlock).join(" ")).join("\n");
    case "code":
      return (token as Tokens.Code).text;
    case "html":
    case "space":
    case "hr":
      return "";
    default:
      return "tokens" in token && token.tokens ? wordsOf(token.tokens) : plain(token.raw);
  }
}

/** The first section is what stands before the first heading below the title; its `heading` is null. */
export function sectionsOf(tokens: Token[]): Section[] {
  const ids = headings(tokens);
  const sections: { heading: Heading | null; texts: string[] }[] = [{ heading: null, texts: [] }];
  for (const token of tokens) {
    const heading = ids.get(token);
    if (heading?.depth === 1) {
      continue;
    }
    if (heading && heading.depth <= DEEPEST) {
      sections.push({ heading, texts: [] });
    } else {
      sections.at(-1)?.texts.push(textOfBlock(token));
    }
  }
  return sections
    .map(({ heading, texts }) => ({ heading, text: texts.filter((text) => text !== "").join("\n") }))
    .filter(({ heading, text }) => heading !== null || text !== "");
}
