import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startServer } from "@/tests/support/process";
import { until } from "@/tests/support/until";

const shell = promisify(execFile);

/** The line under "Try it:", as a person would paste it. */
const printedCurl = (output: string) =>
  output.split("\n").find((line) => line.trim().startsWith("curl ")) ?? "";

test("a start from nothing prints a curl line that works as it stands, and so does the next start", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "tollgate-first-"));
  const keys = [];
  for (const start of ["first", "second"]) {
    const server = await startServer({ TOLLGATE_DATA_DIR: dataDir });
    await until(() => printedCurl(server.output()) !== "");
    const output = server.output();
    expect(output).toMatch(/Console {3}http:\/\/127\.0\.0\.1:\d+\//);
    expect(output).toMatch(/sign in as \S+@\S+ with password \S{10,}/);
    expect(output.includes("Creating the embedded database")).toBe(start === "first");
    const { stdout } = await shell("sh", ["-c", printedCurl(output)]);
    expect(JSON.parse(stdout)).toMatchObject({ object: "chat.completion", model: "sandbox-chat" });
    keys.push(/sk-\w{43}/.exec(output)?.[0]);
    await server.stop();
  }
  expect(keys[0]).toBe(keys[1]);
  await rm(dataDir, { recursive: true, force: true });
});

test("the sandbox's reasoning model spends a small budget on thinking (spec 4.2 rule 1)", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "tollgate-first-"));
  const server = await startServer({ TOLLGATE_DATA_DIR: dataDir });
  await until(() => printedCurl(server.output()) !== "");
  const key = /sk-\w{43}/.exec(server.output())?.[0];
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "sandbox-reasoner",
      max_tokens: 5,
      messages: [{ role: "user", content: "hi" }],
    }),
  });
  expect(await response.json()).toMatchObject({
    choices: [
      { finish_reason: "length", message: { content: "", reasoning_content: expect.stringMatching(/\w/) } },
    ],
    usage: { completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 5 } },
  });
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});
