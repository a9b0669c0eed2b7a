import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ServerProcess, startServer, waitFor } from "@/tests/support/process";

const run = promisify(execFile);

const blocks = [...(await readFile("README.md", "utf8")).matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(
  ([, language = "", code = ""]) => ({ language, code }),
);
const codeIn = (language: string) =>
  blocks.filter((block) => block.language === language).map(({ code }) => code);

/** What a person types, one command after the other; a line that ends with a backslash goes on. */
const commands = codeIn("sh")
  .join("")
  .replaceAll("\\\n", " ")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

/** Why a command is not tried here. */
const elsewhere: [RegExp, string][] = [
  [/^npm ci && npm (start|test)$/, "the first start has tests of its own, and this is a test"],
  [/^export TOLLGATE_KEY=/, "the key is that of the server that was started here"],
  [/ claude$/, "another vendor's program, which is not among the packages"],
  [/ channel test --channel openai$/, "asks the vendor itself"],
];
const isElsewhere = (line: string) => elsewhere.some(([pattern]) => pattern.test(line));
const tried = commands.filter((line) => !isElsewhere(line));

let server: ServerProcess;
let dataDir: string;
let key: string;
/** The task that was submitted last: the README cannot know its id. */
let task = "";

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "tollgate-readme-"));
  server = await startServer({ TOLLGATE_DATA_DIR: dataDir });
  await waitFor(() => /Demo key {2}sk-/.test(server.output()));
  key = /Demo key {2}(\S+)/.exec(server.output())?.[1] ?? "";
});
afterAll(async () => {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** What it prints, on a machine that has just started Tollgate. */
async function printed(program: string, words: string[]): Promise<string> {
  const env = { ...process.env, TOLLGATE_DATA_DIR: dataDir, TOLLGATE_KEY: key };
  const { stdout } = await run(program, words, { env, timeout: 50_000 });
  return stdout;
}

const here = (code: string) => code.replaceAll("http://127.0.0.1:3000", server.url);

test("each reason why a command of the README is not tried is about one of its commands", () => {
  expect(elsewhere.filter(([pattern]) => !commands.some((line) => pattern.test(line)))).toEqual([]);
});

test("the README says how the key comes into the environment before it uses it", () => {
  const uses = commands.findIndex((line) => line.includes("$TOLLGATE_KEY"));
  const sets = commands.findIndex((line) => line.startsWith("export TOLLGATE_KEY="));
  expect(uses).toBeGreaterThan(sets);
  expect(sets).toBeGreaterThanOrEqual(0);
});

test("the doctor finds nothing after the first start", async () => {
  expect(await printed("sh", ["-c", "npm run -s tollgate -- doctor"])).toContain("prices");
});

// In the order of the README, its `doctor` last.
test.each(tried)("%s", async (line) => {
  const output = await printed("sh", ["-c", here(line).replace(/task_(…|\.{3})/, task)]);
  task = /"id":"(task_[^"]+)"/.exec(output)?.[1] ?? task;
  expect(output).not.toMatch(/"code":\d|the catalog has no/);
});

test("the TypeScript of the README runs as one file", async () => {
  const shown =
    "\nconsole.log(JSON.stringify([message.content.at(-1), data.length, tollgate('m').modelId]));";
  const code = here(codeIn("ts").join("\n")) + shown;
  const output = await printed(process.execPath, ["--input-type=module-typescript", "--eval", code]);
  const [streamed = "", last = ""] = output.split(/\n?(?=\[\{)/);
  expect(streamed).toContain("Hello");
  expect(JSON.parse(last)).toEqual([expect.objectContaining({ type: "text" }), 2, "m"]);
});

test("the Python of the README uses no name that it has not imported or set", () => {
  for (const code of codeIn("python")) {
    const bare = code.replace(/"[^"]*"/g, '""');
    const bound = [...bare.matchAll(/import (\w+)|^(\w+) =/gm)].map(([, name, set]) => name ?? set);
    const used = [...bare.matchAll(/(?<![\w.])([A-Za-z_]\w*)(?=[.(])/g)].map(([, name]) => name);
    expect(used.filter((name) => !["print", ...bound].includes(name))).toEqual([]);
  }
});
