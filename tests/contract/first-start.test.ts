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

test("a first start prints a curl command that works as it stands, and so does the next start", async () => {
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
