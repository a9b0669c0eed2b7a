import fc from "fast-check";
import { expect, test } from "vitest";
import { splitThinking, ThinkTags } from "./think-tags";

/** Splits a message whose text comes in these pieces. */
function split(pieces: string[]) {
  const tags = new ThinkTags();
  const deltas = pieces.map((content, at) => {
    const delta = { content };
    splitThinking(delta, tags, at === pieces.length - 1);
    return delta as { content: string; reasoning_content?: string };
  });
  return {
    thinking: deltas.map((delta) => delta.reasoning_content ?? "").join(""),
    text: deltas.map((delta) => delta.content).join(""),
  };
}

test.each([
  ["<think>secret thoughts</think>\n\nAnswer", { thinking: "secret thoughts", text: "Answer" }],
  ["\n <think>\nso\n</think>Answer </think>", { thinking: "\nso\n", text: "Answer </think>" }],
  ["<think></think>Answer", { thinking: "", text: "Answer" }],
  [`${" ".repeat(201)}<think>text</think>`, { thinking: "", text: `${" ".repeat(201)}<think>text</think>` }],
  ["<think>cut off", { thinking: "cut off", text: "" }],
  ["<think>cut off </thi", { thinking: "cut off </thi", text: "" }],
  ["<thin", { thinking: "", text: "<thin" }],
  [" ", { thinking: "", text: " " }],
  [
    "An answer with <think>no thinking</think>",
    { thinking: "", text: "An answer with <think>no thinking</think>" },
  ],
  ["<thinking>is another tag</thinking>", { thinking: "", text: "<thinking>is another tag</thinking>" }],
])("%j is split into thinking and text", (text, parts) => {
  expect(split([text])).toEqual(parts);
});

test("a text is split alike, however it is cut into pieces", () => {
  const piece = fc.constantFrom("<think>", "</think>", "<", "/", "think>", "</thi", "a", " ", "\n");
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.array(fc.nat(40), { maxLength: 8 }),
      (pieces, places) => {
        const text = pieces.join("");
        const cuts = [...places.filter((place) => place < text.length).sort((a, b) => a - b), text.length];
        expect(split(cuts.map((end, at) => text.slice(cuts[at - 1] ?? 0, end)))).toEqual(split([text]));
      },
    ),
  );
});
