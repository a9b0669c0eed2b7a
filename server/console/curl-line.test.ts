import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { curlLine } from "./curl-line";

/** The words that a shell makes of a line. */
const words = (line: string) =>
  execFileSync("sh", ["-c", `TOLLGATE_KEY=sk-1\ncurl() { printf '%s\\n' "$@"; }\n${line}`])
    .toString()
    .trimEnd()
    .split("\n");

test("a shell reads the line as one URL, two headers and one JSON body", () => {
  expect(words(curlLine("http://127.0.0.1:3000/v1", "sandbox-chat"))).toEqual([
    "http://127.0.0.1:3000/v1/chat/completions",
    "-H",
    "Authorization: Bearer sk-1",
    "-H",
    "Content-Type: application/json",
    "-d",
    '{"model":"sandbox-chat","messages":[{"role":"user","content":"你好"}]}',
  ]);
});

test("a model's name cannot run a command", () => {
  const body = words(curlLine("http://h/v1", "a'; echo x; '$(id)")).at(-1) ?? "";
  expect(JSON.parse(body)).toMatchObject({ model: "a'; echo x; '$(id)" });
});
