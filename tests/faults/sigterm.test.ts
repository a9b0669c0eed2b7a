import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Received, startEmbeddedGateway } from "@/tests/support/embedded-gateway";
import { slowly } from "@/tests/support/faults";
import { perFile } from "@/tests/support/per-file";
import { isRunning } from "@/tests/support/process-tree";
import { until } from "@/tests/support/until";
import { startUpstream } from "@/tests/support/upstream";

const upstream = perFile(() => startUpstream(slowly()));
const gateway = perFile(() => startEmbeddedGateway(upstream.baseUrl));

/** Sends SIGTERM while ten streams run; resolves when the process is gone. */
async function terminateDuringStreams(): Promise<Received[]> {
  const { child } = gateway.server();
  const before = upstream.asked.length;
  const postmaster = gateway.postmasterPid();
  const streams = Array.from({ length: 10 }, () => gateway.call({ stream: true }));
  await until(() => upstream.asked.length === before + 10);
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  // Several processes answer, and do not hear of it in the same moment.
  await until(async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => gateway.call({ stream: false })));
    return answers.every(({ status }) => status !== 200);
  });
  const asked = upstream.asked.length;
  expect(await gateway.call({ stream: true })).toMatchObject({ isWhole: false });
  expect(upstream.asked.length, "nobody new is served").toBe(asked);
  const received = await Promise.all(streams);
  expect(await exited).toEqual([0, null]);
  await until(() => !isRunning(postmaster));
  return received;
}

/** What clients received, and what the books say right after the next start, before any lease can have run out. */
async function expectCharged(
  received: Received[],
  { isWhole, source }: { isWhole: boolean; source: string },
) {
  expect(received.map((each) => each.isWhole)).toEqual(Array(10).fill(isWhole));
  await gateway.start();
  await gateway.withLedger(async (ledger) => {
    const ids = received.flatMap((each) => each.requestId ?? []);
    expect(await ledger.openHolds(ids), "nothing is left frozen").toBe(0);
    expect(await ledger.verify()).toEqual([]);
    const entries = await ledger.entriesOfAll(ids);
    const charged = entries.map((entry) => [entry.kind, entry.usageSource]);
    expect(charged).toEqual(Array(10).fill(["capture", source]));
  });
}

describe("at SIGTERM", () => {
  test("in the middle of a start, PostgreSQL goes too", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "tollgate-start-"));
    const child = spawn(process.execPath, ["dist/main.js"], {
      env: { PATH: process.env.PATH ?? "", NODE_ENV: "production", TOLLGATE_DATA_DIR: dataDir, PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(child, "exit");
    let output = "";
    child.stdout.on("data", (text) => (output += text));
    const lockFile = join(dataDir, "postgres", "postmaster.pid");
    // Before, the lock file is that of initdb's.
    await until(() => output.includes("Starting the embedded database") && existsSync(lockFile), 60_000);
    const postmaster = Number(readFileSync(lockFile, "utf8").split("\n")[0]);
    child.kill("SIGTERM");
    await exited;
    await until(() => !isRunning(postmaster));
    await rm(dataDir, { recursive: true, force: true });
  });

  test("running streams finish, new calls are refused, holds are settled, and PostgreSQL goes too", async () => {
    upstream.answer(slowly(() => 100));
    await expectCharged(await terminateDuringStreams(), { isWhole: true, source: "upstream" });
  });

  test("streams that do not finish in time are cut, and what was delivered is charged", async () => {
    await gateway.server().stop();
    await gateway.start({ DRAIN_SECONDS: "1" });
    upstream.answer(slowly(() => 500));
    await expectCharged(await terminateDuringStreams(), { isWhole: false, source: "estimated" });
  });
});
