/** The blocks of code in a page, and which of them are one example in several languages. */
import type { Token, Tokens } from "marked";

export type Example = { language: string; code: string };
export type Examples = { type: "examples"; raw: string; examples: Example[] };

/** The languages in which an example can be given, in the order of its tabs. */
const programming = ["sh", "python", "ts", "go"];

/** Whether a block is the same example as those right before it: in a language that they do not have yet. */
const continues = (examples: Example[], { language }: Example): boolean =>
  [...examples.map((example) => example.language), language].every((name) => programming.includes(name)) &&
  examples.every((example) => example.language !== language);

/** The tokens with each run of blocks of code as one token. */
export function withExamples(tokens: Token[]): (Token | Examples)[] {
  const kept: (Token | Examples)[] = [];
  for (const token of tokens) {
    if (token.type !== "code") {
      kept.push(token);
      continue;
    }
    const { lang, text } = token as Tokens.Code;
    const example = { language: lang || "text", code: text };
    const before = kept.findLast(({ type }) => type !== "space");
    if (before?.type === "examples" && continues((before as Examples).examples, example)) {
      (before as Examples).examples.push(example);
    } else {
      kept.push({ type: "examples", raw: token.raw, examples: [example] });
    }
  }
  return kept;
}
