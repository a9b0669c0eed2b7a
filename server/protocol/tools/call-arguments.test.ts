import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { isObjectText, readArguments } from "./call-arguments";

const listOf = (count: number) => `{"a":[${"1,".repeat(count - 1)}2512292042121000001]}`;

test.each<[what: string, text: string, isRead: boolean]>([
  ["a few values", listOf(2), true],
  ["200,000 values", listOf(200_000), true],
  ["a long text", JSON.stringify({ a: "word \n".repeat(100_000) }), true],
  ["300,000 values, more than a client could send back", listOf(300_000), false],
  ["a list", "[]", false],
  ["half an object", '{"a":', false],
])("arguments of %s are read only if they are an object of bearable size", (_what, text, isRead) => {
  expect(atOnce(isObjectText(text))).toBe(isRead);
  expect(JSON.stringify(atOnce(readArguments(text)))).toBe(isRead ? text : "null");
});

test.each(["", " \n", "null", " null\n"])("%j stands for no arguments", (text) => {
  expect(atOnce(isObjectText(text))).toBe(true);
});
