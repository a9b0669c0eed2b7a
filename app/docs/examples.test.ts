import { expect, test } from "vitest";
import { type Examples, withExamples } from "./examples";
import { read } from "./headings";

const groupsIn = (text: string) =>
  withExamples(read(text)).flatMap((token) =>
    token.type === "examples" ? [(token as Examples).examples.map(({ language }) => language)] : [],
  );
const block = (language: string) => `\`\`\`${language}\nx\n\`\`\`\n\n`;

test("blocks of code in several languages, one right after the other, are one example", () => {
  expect(groupsIn(block("sh") + block("python") + block("ts") + block("go"))).toEqual([
    ["sh", "python", "ts", "go"],
  ]);
});

test("a text between them, the same language again and a language without SDKs begin another example", () => {
  expect(groupsIn(`${block("sh")}Then:\n\n${block("python")}`)).toEqual([["sh"], ["python"]]);
  expect(groupsIn(block("sh") + block("sh") + block("yaml") + block("json"))).toEqual([
    ["sh"],
    ["sh"],
    ["yaml"],
    ["json"],
  ]);
});
