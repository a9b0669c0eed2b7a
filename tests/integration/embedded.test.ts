import { execFileSync, spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { startEmbeddedPostgres } from "@/server/db/embedded";
import { prepareHome } from "@/server/db/embedded-home";
import { dataDirectory } from "@/tests/support/database";
import { eventually } from "@/tests/support/eventually";
import { isRunning } from "@/tests/support/process-tree";
import { sleep } from "@/tests/support/until";

async function temporaryHome(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "tollgate-embedded-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** For a test of an installer whose files no other user can read. */
function hideFiles(): void {
  const usual = process.umask(0o077);
  onTestFinished(() => void process.umask(usual));
}

test("a stale lock file after a reboot does not stop another program's PostgreSQL", async () => {
  const directory = await temporaryHome();
  // A process that is called postgres and has the process id in our lock file.
  await symlink("/bin/sleep", join(directory, "postgres"));
  const stranger = spawn(join(directory, "postgres"), ["600"], { stdio: "ignore" });
  onTestFinished(() => void stranger.kill("SIGKILL"));
  const first = await startEmbeddedPostgres(join(directory, "data"), () => {});
  const lockFile = join(await dataDirectory(first.url), "postmaster.pid");
  const lines = (await readFile(lockFile, "utf8")).split("\n");
  await first.stop();
  await writeFile(lockFile, [stranger.pid, ...lines.slice(1)].join("\n"));

  const second = await startEmbeddedPostgres(join(directory, "data"), () => {});
  expect(lockFile.startsWith(await dataDirectory(second.url))).toBe(true);
  await second.stop();
  expect(isRunning(stranger.pid ?? 0)).toBe(true);
});

test("a restarted database keeps its port, so that its clients reconnect", async () => {
  const directory = await temporaryHome();
  const first = await startEmbeddedPostgres(directory, () => {});
  const client = postgres(first.url, { max: 1, onnotice: () => {} });
  await client`select 1`;
  await first.stop();
  const second = await startEmbeddedPostgres(directory, () => {});
  expect(second.url).toBe(first.url);
  expect(await client`select 1 as one`).toMatchObject([{ one: 1 }]);
  await client.end();
  await second.stop();
});

test("a server waits for a command that uses the database, and then owns it", async () => {
  const directory = await temporaryHome();
  const record = join(directory, "database.json");
  const first = await startEmbeddedPostgres(directory, () => {}, "command");
  // As if another live process owned it.
  const content = JSON.parse(await readFile(record, "utf8")) as Record<string, unknown>;
  const command = spawn("/bin/sleep", ["600"], { stdio: "ignore" });
  await writeFile(record, JSON.stringify({ ...content, ownerPid: command.pid }));
  const joined = await startEmbeddedPostgres(directory, () => {}, "command");
  expect(joined.url).toBe(first.url);

  const lines: string[] = [];
  let isStarted = false;
  const waiting = startEmbeddedPostgres(directory, (line) => void lines.push(line)).then((server) => {
    isStarted = true;
    return server;
  });
  await eventually(() => lines).toEqual([
    expect.stringContaining("A command works on the embedded database"),
  ]);
  await sleep(1_000);
  expect(isStarted).toBe(false);
  await first.stop();
  command.kill("SIGKILL");
  const server = await waiting;
  expect(JSON.parse(await readFile(record, "utf8"))).toMatchObject({
    ownerPid: process.pid,
    owner: "server",
  });
  await server.stop();
});

test("an installer with a private umask gets a database all the same", async () => {
  hideFiles();
  const directory = await temporaryHome();
  const server = await startEmbeddedPostgres(join(directory, "data"), () => {});
  expect(await dataDirectory(server.url)).toContain("postgres");
  await server.stop();
});

test("programs that only their installer can read run all the same, also from an unreadable copy of an earlier version", async () => {
  hideFiles();
  const directory = await temporaryHome();
  const native = join(directory, "native");
  const program = join(native, "bin", "postgres");
  const run = async () => {
    const { binaries, identity } = await prepareHome(join(directory, "data"), () => {}, native);
    expect(execFileSync(join(binaries, "postgres"), { ...identity, cwd: "/" }).toString()).toBe("ready\n");
    return dirname(binaries);
  };
  await mkdir(dirname(program), { recursive: true });
  await writeFile(join(directory, "package.json"), '{"version":"1.2.3"}');
  await writeFile(program, "#!/bin/sh\necho ready\n", { mode: 0o755 });
  const programs = await run();
  // As an earlier version left the files, on which an installer had failed.
  await chmod(join(programs, "bin", "postgres"), 0o700);
  await chmod(programs, 0o700);
  expect(await run()).toBe(programs);
});

test("a database of another PostgreSQL version is refused with a message, and stays as it is", async () => {
  const directory = await temporaryHome();
  const first = await startEmbeddedPostgres(directory, () => {});
  const version = join(await dataDirectory(first.url), "PG_VERSION");
  await first.stop();
  await writeFile(version, "9\n");
  await expect(startEmbeddedPostgres(directory, () => {})).rejects.toThrow(
    /made by PostgreSQL 9, .* db dump .* db restore/s,
  );
  expect(await readFile(version, "utf8")).toBe("9\n");
});
