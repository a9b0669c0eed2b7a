import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { until } from "@/tests/support/until";
import { leftName, newWriter, writerOf } from "./writers";

const home = temporaryDirectory();

const pathOf = async (name: string) => {
  const path = join(home, name);
  await writeFile(path, "");
  return path;
};
const stateOf = async (path: string) => await writerOf(basename(path), path);

test("this process is alive, and has left a file that has the name for that", async () => {
  const path = await pathOf(`${newWriter()}.0.log`);
  expect(await stateOf(path)).toBe("alive");
  expect(await stateOf(await pathOf(basename(leftName(path))))).toBe("ended");
});

test("a process with the number of the writer and another start is not the writer", async () => {
  const [host, pid, start = "", ...rest] = newWriter().split(".");
  const earlier = `${host}.${pid}.${start.replace(/^./, (digit) => (digit === "1" ? "2" : "1"))}.${rest.join(".")}`;
  expect(await stateOf(await pathOf(`${earlier}.0.log`))).toBe("ended");
});

/** A program that ends with its process only. */
const FOREVER = "setInterval(() => {}, 1_000_000)";

/** The fields of `/proc/PID/stat` after the process's name: its state first, its start as the 20th. */
async function statOf(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** The name of a file that the process with this number would write. */
async function nameOf(pid: number): Promise<string> {
  const [host, , start = "", ...rest] = newWriter().split(".");
  const own = (await statOf(pid))[19];
  return `${host}.${pid}.${start.replace(/^\d+/, String(own))}.${rest.join(".")}.0.log`;
}

test.runIf(process.platform === "linux")("a process is alive until it exits", async () => {
  const child = spawn(process.execPath, ["-e", FOREVER]);
  await once(child, "spawn");
  const path = await pathOf(await nameOf(child.pid ?? 0));
  expect(await stateOf(path)).toBe("alive");
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await stateOf(path)).toBe("ended");
});

test.runIf(process.platform === "linux")(
  "a process that has exited is not alive, also if its parent does not ask how it ended",
  async () => {
    // The parent stops itself: a shell that runs on may ask how a child ended before its next command.
    const stopped = '"$0" -e "$1" >/dev/null & echo $!; kill -STOP $$';
    const parent = spawn("sh", ["-c", stopped, process.execPath, FOREVER], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [line] = await once(parent.stdout, "data");
    await until(async () => (await statOf(parent.pid ?? 0))[0] === "T");
    const pid = Number(String(line));
    const path = await pathOf(await nameOf(pid));
    expect(await stateOf(path)).toBe("alive");
    process.kill(pid, "SIGKILL");
    await until(async () => (await stateOf(path)) === "ended");
    expect((await statOf(pid))[0]).toBe("Z");
    parent.kill("SIGKILL");
  },
);

test("a file of another host is settled, and deleted only after ten quiet minutes", async () => {
  const host = hostname().replace(/[^a-z0-9-]/gi, "-");
  const path = await pathOf(`${newWriter().replace(host, `${host}-2`)}.0.log`);
  expect(await stateOf(path)).toBe("unknown");
  const before = new Date(Date.now() - 601_000);
  await utimes(path, before, before);
  expect(await stateOf(path)).toBe("ended");
  expect(await readFile(path, "utf8")).toBe("");
});
