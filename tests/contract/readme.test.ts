import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { emptyDatabase } from "@/tests/support/migrations";
import { perFile, temporaryDirectory } from "@/tests/support/per-file";
import { startServer } from "@/tests/support/process";
import { findPython } from "@/tests/support/python";
import { HANGS_MS, until } from "@/tests/support/until";

const run = promisify(execFile);

/** The pages whose commands and examples run here, in the order in which a newcomer reads them. */
const pages = await Promise.all(
  [
    { path: "README.md", part: /[\s\S]*/ },
    { path: "docs/clients.md", part: /[\s\S]*/ },
    { path: "docs/operations.md", part: /^## Commands$[\s\S]*?(?=^## )/m },
  ].map(async ({ path, part }) => {
    const text = part.exec(await readFile(path, "utf8"))?.[0] ?? "";
    const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(([, language = "", code = ""]) => ({
      language,
      code,
    }));
    return { path, blocks };
  }),
);
type DocPage = (typeof pages)[number];

const codeIn = (language: string, docPages: DocPage[] = pages) =>
  docPages
    .flatMap(({ blocks }) => blocks)
    .filter((block) => block.language === language)
    .map(({ code }) => code);

/** The commands that a person types, one after the other. A backslash at the end continues a line. */
const commandsOf = (page: DocPage) =>
  codeIn("sh", [page])
    .join("")
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
const commands = pages.flatMap(commandsOf);

/** Reasons why a command is not tried here. */
const elsewhere: [RegExp, string][] = [
  [/^npm ci && npm (start|test)$/, "the first start has tests of its own, and this is a test"],
  [/^export TOLLGATE_KEY=/, "the key is that of the server that was started here"],
  [/ claude$/, "another vendor's program, which is not among the packages"],
  [/ channel test --channel openai$/, "asks the vendor itself"],
];
const isElsewhere = (line: string) => elsewhere.some(([pattern]) => pattern.test(line));
const tried = commands.filter((line) => !isElsewhere(line));

const dataDir = temporaryDirectory();
const server = perFile(() => startServer({ TOLLGATE_DATA_DIR: dataDir }));
let key: string;
/** The last submitted task: no page can know its id. */
let task = "";

beforeAll(async () => {
  await until(() => /Demo key {2}sk-/.test(server.output()));
  key = /Demo key {2}(\S+)/.exec(server.output())?.[1] ?? "";
});

/** package.json's script `npm run -s tollgate -- <words>` without npm, which takes longer to start than the command. */
const bin = temporaryDirectory();
writeFileSync(join(bin, "npm"), '#!/bin/sh\nshift 4\nexec node scripts/tollgate.mjs "$@"\n', { mode: 0o755 });

/** The output of a program on a machine that has just started Tollgate. */
async function outputOf(
  program: string,
  words: string[],
  path = `${bin}:${process.env.PATH}`,
): Promise<string> {
  const env = { ...process.env, PATH: path, TOLLGATE_DATA_DIR: dataDir, TOLLGATE_KEY: key };
  const { stdout } = await run(program, words, { env, timeout: HANGS_MS });
  return stdout;
}

const atThisServer = (code: string) => code.replaceAll("http://127.0.0.1:3000", server.url);

test("each reason why a command is not tried belongs to one of the commands", () => {
  expect(elsewhere.filter(([pattern]) => !commands.some((line) => pattern.test(line)))).toEqual([]);
});

test.each(pages)("$path has commands, and sets the key in the environment before it uses it", (page) => {
  const own = commandsOf(page);
  expect(own.length).toBeGreaterThan(0);
  const uses = own.findIndex((line) => line.includes("$TOLLGATE_KEY"));
  const sets = own.findIndex((line) => line.startsWith("export TOLLGATE_KEY="));
  expect(uses === -1 || (sets !== -1 && sets < uses)).toBe(true);
});

test("every Tollgate command is written with npm run", () => {
  const ours = commands.filter((line) => line.includes("tollgate -- "));
  expect(ours.length).toBeGreaterThanOrEqual(20);
  expect(ours.filter((line) => !/^(\w+=\S+ )*npm run -s tollgate -- /.test(line))).toEqual([]);
});

test("the first page that uses the key is the README", () => {
  expect(commandsOf(pages[0] as DocPage).some((line) => line.includes("$TOLLGATE_KEY"))).toBe(true);
});

test("doctor finds no problem after the first start", async () => {
  const doctor = await outputOf("sh", ["-c", "npm run -s tollgate -- doctor"], process.env.PATH);
  expect(doctor).toContain("prices");
});

// In the order of the pages. README and operations each end with `doctor`.
test.each(tried)("%s", async (line) => {
  const output = await outputOf("sh", ["-c", atThisServer(line).replace(/task_(…|\.{3})/, task)]);
  task = /"id":"(task_[^"]+)"/.exec(output)?.[1] ?? task;
  expect(output).not.toMatch(/"code":\d|not in the catalog/);
});

test("the TypeScript of docs/clients.md runs as one file", async () => {
  const shown =
    "\nconsole.log(JSON.stringify([message.content.at(-1), data.length, tollgate('m').modelId]));";
  const code = atThisServer(codeIn("ts").join("\n")) + shown;
  const output = await outputOf(process.execPath, ["--input-type=module-typescript", "--eval", code]);
  const [streamed = "", last = ""] = output.split(/\n?(?=\[\{)/);
  expect(streamed).toContain("Hello");
  expect(JSON.parse(last)).toEqual([expect.objectContaining({ type: "text" }), 2, "m"]);
});

const python = findPython();

test.skipIf(python === null)("the Python of docs/clients.md runs as one file", async () => {
  expect(await outputOf(python ?? "", ["-c", atThisServer(codeIn("python").join("\n"))])).toContain(
    "ChatCompletion",
  );
});

test("the Python of docs/clients.md uses only names that it has imported or set", () => {
  expect(codeIn("python")).not.toEqual([]);
  for (const code of codeIn("python")) {
    const bare = code.replace(/"[^"]*"/g, '""');
    const bound = [...bare.matchAll(/import (\w+)|^(\w+) =/gm)].map(([, name, set]) => name ?? set);
    const used = [...bare.matchAll(/(?<![\w.])([A-Za-z_]\w*)(?=[.(])/g)].map(([, name]) => name);
    expect(used.filter((name) => !["print", ...bound].includes(name))).toEqual([]);
  }
});

/** The commands under one heading of a page, without the start, which another test covers. */
const typedUnder = (text: string, heading: string) =>
  [...(text.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "").matchAll(/^```sh\n([\s\S]*?)^```/gm)]
    .map(([, code = ""]) => code)
    .join("")
    .replace(/^npm start$/m, "");

test.each(["A dump by the gateway", "From the embedded database to an external one"])(
  "docs/backup.md, %s: its commands move an embedded database to an external one, which serves the first call",
  async (heading) => {
    const directory = await mkdtemp(join(tmpdir(), "tollgate-backup-"));
    const { authSecret, encryptionKey, keyPepper } = JSON.parse(
      await readFile(join(dataDir, "secrets.json"), "utf8"),
    );
    const secrets = { AUTH_SECRET: authSecret, ENCRYPTION_KEY: encryptionKey, KEY_PEPPER: keyPepper };
    const url = await emptyDatabase();
    const typed = typedUnder(await readFile("docs/backup.md", "utf8"), heading)
      .replaceAll(/(?:\/backup\/)?tollgate[\w-]*\.gz/g, join(directory, "tollgate.gz"))
      .replaceAll("postgres://…/an_empty_database", url)
      .replaceAll(/([A-Z_]+)=…/g, (_, name: keyof typeof secrets) => `${name}=${secrets[name]}`);
    expect(typed).toMatch(/db dump[\s\S]*DATABASE_URL=[\s\S]*db restore[\s\S]*ledger verify/);
    const output = await outputOf("sh", ["-e", "-c", typed]);
    expect(output).toMatch(/rows/);
    const restored = await startServer({ ...secrets, DATABASE_URL: url });
    try {
      const [first = ""] = commandsOf(pages[0] as DocPage).filter((line) => line.startsWith("curl "));
      const answer = await outputOf("sh", ["-c", first.replaceAll("http://127.0.0.1:3000", restored.url)]);
      expect(answer).toContain('"choices"');
    } finally {
      await restored.stop();
      await rm(directory, { recursive: true });
    }
  },
);
