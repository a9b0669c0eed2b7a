/** The Markdown of a page as tokens, and the names of its headings. */
import { lexer, type Token, type Tokens } from "marked";

/** Returns one token for each block, with the tokens of its text inside. */
export const read = (text: string): Token[] => lexer(text);

const named: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#39;": "'" };
/** The characters that the lexer has escaped, as they are. */
export const plain = (text: string): string =>
  text.replace(/&(?:lt|gt|amp|quot|#39);/g, (name) => named[name] ?? name);

/** The text of tokens, without markup for bold text, code and links. */
export const wordsOf = (tokens: Token[]): string =>
  tokens
    .map((token) => {
      if (token.type === "codespan") {
        return (token as Tokens.Codespan).text;
      }
      return "tokens" in token && token.tokens ? wordsOf(token.tokens) : plain(token.raw);
    })
    .join("");

/** The same anchors as repository hosts generate, so that links to them work in both places. */
const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[`*]/g, "")
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");

export type Heading = { id: string; text: string; depth: number };

const isHeading = (token: Token): token is Tokens.Heading => token.type === "heading";

/** Each heading with a unique name: the second of two equal ones ends in `-1`. */
export function headings(tokens: Token[]): Map<Token, Heading> {
  const counts = new Map<string, number>();
  return new Map(
    tokens.filter(isHeading).map((token) => {
      const text = wordsOf(token.tokens);
      const base = slug(text);
      const before = counts.get(base) ?? 0;
      counts.set(base, before + 1);
      return [token, { id: before === 0 ? base : `${base}-${before}`, text, depth: token.depth }];
    }),
  );
}

/** The headings for the contents next to a page. `deepest`: the deepest level to include. */
export const headingsIn = (tokens: Token[], deepest = 3): Heading[] =>
  [...headings(tokens).values()].filter(({ depth }) => depth >= 2 && depth <= deepest);
