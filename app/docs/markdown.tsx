/** Renders our Markdown as elements, never as HTML, so that nothing in it can run. */
import { Anchor, Code } from "@mantine/core";
import type { Token, Tokens } from "marked";
import { createElement, Fragment, type ReactNode } from "react";
import { ScrollRegion } from "@/app/(console)/_components/tables/scroll-region";
import { DocCode } from "./doc-code";
import { type Examples, withExamples } from "./examples";
import { type Heading, headings, plain } from "./headings";

type How = {
  /** The target of a link. null: not in the documentation. */
  linkTo: (href: string) => string | null;
  /** Names a block of code for screen readers. */
  codeLabel: string;
  ids: Map<Token, Heading>;
  /** By heading: its name in the other language, so that links and a change of the language keep their place. */
  otherIds: Map<Token, string>;
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
    withExamples(tokens).map((token) => element(token, how)),
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
  const other = how.otherIds.get(token);
  return (
    <Name id={how.ids.get(token)?.id}>
      {other !== undefined && <span id={other} />}
      {each(token.tokens, how)}
    </Name>
  );
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
  examples: (token, how) => <DocCode examples={(token as Examples).examples} label={how.codeLabel} />,
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

type Props = Omit<How, "ids" | "otherIds"> & {
  tokens: Token[];
  /** The same page in the other language. Left out: it has only one. */
  other?: Token[] | undefined;
};

export function Markdown({ tokens, other = [], ...how }: Props) {
  const ids = headings(tokens);
  const own = new Set([...ids.values()].map(({ id }) => id));
  const others = [...headings(other).values()].map(({ id }) => id);
  const otherIds = [...ids.keys()].flatMap((token, at): [Token, string][] => {
    const id = others[at];
    return id === undefined || own.has(id) ? [] : [[token, id]];
  });
  return <>{each(tokens, { ...how, ids, otherIds: new Map(otherIds) })}</>;
}
