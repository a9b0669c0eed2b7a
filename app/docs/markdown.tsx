/** Renders our Markdown as elements, never as HTML, so that nothing in it can run. */
import { Anchor, Code } from "@mantine/core";
import { lexer, type Token, type Tokens } from "marked";
import { createElement, Fragment, type ReactNode } from "react";
import { ScrollRegion } from "@/app/(console)/_components/tables/scroll-region";
import { DocCode } from "./doc-code";

/** Returns one token for each block, with the tokens of its text inside. */
export const read = (text: string): Token[] => lexer(text);

const named: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#39;": "'" };
const plain = (text: string): string =>
  text.replace(/&(?:lt|gt|amp|quot|#39);/g, (name) => named[name] ?? name);

/** The text of tokens, without markup for bold text and links. */
const wordsOf = (tokens: Token[]): string =>
  tokens
    .map((token) => ("tokens" in token && token.tokens ? wordsOf(token.tokens) : plain(token.raw)))
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
function headings(tokens: Token[]): Map<Token, Heading> {
  const counts = new Map<string, number>();
  return new Map(
    tokens.filter(isHeading).map((token) => {
      const text = wordsOf(token.tokens).replaceAll("`", "");
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

type How = {
  /** The target of a link. null: not in the documentation. */
  linkTo: (href: string) => string | null;
  /** Names a block of code for screen readers. */
  codeLabel: string;
  ids: Map<Token, Heading>;
};

/** Text never changes its order, so its parts need no keys: they are passed as children, not as an array. */
const inside = (
  type: string | typeof Fragment,
  children: ReactNode[],
  props: object | null = null,
): ReactNode => createElement(type, props, ...children);

const each = (tokens: Token[] = [], how: How): ReactNode =>
  inside(
    Fragment,
    tokens.map((token) => element(token, how)),
  );

function tableOf({ header, rows }: Tokens.Table, how: How): ReactNode {
  const heads = header.map(({ tokens }) => inside("th", [each(tokens, how)], { scope: "col" }));
  const lines = rows.map((row) =>
    inside(
      "tr",
      row.map(({ tokens }) => inside("td", [each(tokens, how)])),
    ),
  );
  return (
    <ScrollRegion label={header.map(({ text }) => text).join(", ")} className="table-scroll">
      {inside("table", [inside("thead", [inside("tr", heads)]), inside("tbody", lines)], {
        className: "table",
      })}
    </ScrollRegion>
  );
}

function headingOf(token: Tokens.Heading, how: How): ReactNode {
  const Name = `h${token.depth}` as "h1" | "h2" | "h3" | "h4";
  return <Name id={how.ids.get(token)?.id}>{each(token.tokens, how)}</Name>;
}

function listOf({ items, ordered, start }: Tokens.List, how: How): ReactNode {
  const lines = items.map(({ tokens }) => inside("li", [each(tokens, how)]));
  return ordered ? inside("ol", lines, { start: start || 1 }) : inside("ul", lines);
}

function linkOf(token: Tokens.Link, how: How): ReactNode {
  const href = how.linkTo(token.href);
  // Within a text, colour alone does not identify a link.
  const link = (to: string) => (
    <Anchor href={to} underline="always">
      {each(token.tokens, how)}
    </Anchor>
  );
  return href === null ? each(token.tokens, how) : link(href);
}

const blocks: Record<string, (token: Token, how: How) => ReactNode> = {
  heading: (token, how) => headingOf(token as Tokens.Heading, how),
  paragraph: (token, how) => <p>{each((token as Tokens.Paragraph).tokens, how)}</p>,
  list: (token, how) => listOf(token as Tokens.List, how),
  table: (token, how) => tableOf(token as Tokens.Table, how),
  code: (token, how) => <DocCode code={(token as Tokens.Code).text} label={how.codeLabel} />,
  blockquote: (token, how) => <blockquote>{each((token as Tokens.Blockquote).tokens, how)}</blockquote>,
  hr: () => <hr />,
};

const inline: Record<string, (token: Token, how: How) => ReactNode> = {
  text: (token, how) => {
    const { tokens, text } = token as Tokens.Text;
    return tokens ? each(tokens, how) : plain(text);
  },
  escape: (token) => (token as Tokens.Escape).text,
  strong: (token, how) => <strong>{each((token as Tokens.Strong).tokens, how)}</strong>,
  em: (token, how) => <em>{each((token as Tokens.Em).tokens, how)}</em>,
  codespan: (token) => <Code>{(token as Tokens.Codespan).text}</Code>,
  link: (token, how) => linkOf(token as Tokens.Link, how),
  br: () => <br />,
};

/** Token types in neither table, such as comments and images, are not shown. */
const element = (token: Token, how: How): ReactNode =>
  (blocks[token.type] ?? inline[token.type] ?? (() => null))(token, how);

export const Markdown = ({ tokens, ...how }: { tokens: Token[] } & Omit<How, "ids">) => (
  <>{each(tokens, { ...how, ids: headings(tokens) })}</>
);
