import { expect, test } from "vitest";
import { readMessagesHeaders } from "./headers";

test("the version and the betas belong to the call, and other headers do not", () => {
  const headers = new Headers({
    "anthropic-version": " 2023-06-01 ",
    "anthropic-beta": "a-1, b-2",
    other: "x",
  });
  expect(readMessagesHeaders(headers)).toEqual({
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "a-1, b-2",
  });
});

test.each(["anthropic-version", "anthropic-beta"])("%s that is too long is refused and not cut", (name) => {
  const headers = new Headers({ "anthropic-version": "2023-06-01", [name]: "a".repeat(2_001) });
  expect(() => readMessagesHeaders(headers)).toThrow(`${name} 请求头过长 (上限 2000 个字符)`);
});
