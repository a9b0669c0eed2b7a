import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inBackground, responsesOf } from "@/tests/support/background-calls";
import { type ClientResult, startEmbeddedGateway } from "@/tests/support/embedded-gateway";
import { pause, slowly } from "@/tests/support/faults";
import { holdUpdates } from "@/tests/support/held-updates";
import { perFile } from "@/tests/support/per-file";
import { isRunning } from "@/tests/support/process-tree";
import { until } from "@/tests/support/until";
import { answerWith, heldAnswer, startUpstream } from "@/tests/support/upstream";

const upstream = perFile(() => startUpstream(slowly()));
/** Each test ends a server and starts the one that the next test uses. */
const gateway = perFile(() => startEmbeddedGateway(upstream.baseUrl));
/** The environment of a server with two processes, for background responses. */
const PROCESSES = { WEB_CONCURRENCY: "2" };

/** Sends SIGTERM while ten streams run; resolves when the process is gone. */
async function terminateDuringStreams(): Promise<ClientResult[]> {
  const { child } = gateway.server();
  const before = upstream.requests.length;
  const postmaster = gateway.postmasterPid();
  const streams = Array.from({ length: 10 }, () => gateway.call({ stream: true }));
  await until(() => upstream.requests.length === before + 10);
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  // Several processes answer, and the signal does not reach all of them in the same moment.
  await until(async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => gateway.call({ stream: false })));
    return answers.every(({ status }) => status !== 200);
  });
  const callCount = upstream.requests.length;
  expect(await gateway.call({ stream: true })).toMatchObject({ isWhole: false });
  expect(upstream.requests.length, "nobody new is served").toBe(callCount);
  const received = await Promise.all(streams);
  expect(await exited).toEqual([0, null]);
  await until(() => !isRunning(postmaster));
  return received;
}

/**
 * Checks what the clients received and what the ledger has right after the next start, before any lease has expired.
 * `next`: the environment of the server that the next test ends.
 */
async function expectCharged(
  received: ClientResult[],
  { isWhole, source, next }: { isWhole: boolean; source: string; next: Record<string, string> },
) {
  expect(received.map((each) => each.isWhole)).toEqual(Array(10).fill(isWhole));
  await gateway.start(next);
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
  test("in the middle of a start PostgreSQL ends, too", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "tollgate-start-"));
    const child = spawn(process.execPath, ["dist/main.js"], {
      env: { PATH: process.env.PATH ?? "", NODE_ENV: "production", TOLLGATE_DATA_DIR: dataDir, PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(child, "exit");
    let output = "";
    child.stdout.on("data", (text) => (output += text));
    const lockFile = join(dataDir, "postgres", "postmaster.pid");
    // Before that, the lock file is initdb's.
    await until(() => output.includes("Starting the embedded database") && existsSync(lockFile), 60_000);
    const postmaster = Number(readFileSync(lockFile, "utf8").split("\n")[0]);
    child.kill("SIGTERM");
    await exited;
    await until(() => !isRunning(postmaster));
    await rm(dataDir, { recursive: true, force: true });
  });

  test("running streams finish, new calls are refused, holds are settled, and PostgreSQL ends, too", async () => {
    upstream.answer(slowly(() => 100));
    const received = await terminateDuringStreams();
    await expectCharged(received, { isWhole: true, source: "upstream", next: { DRAIN_SECONDS: "1" } });
  });

  test("streams that do not finish in time are cut, and what was delivered is charged", async () => {
    upstream.answer(slowly(() => 500));
    const received = await terminateDuringStreams();
    await expectCharged(received, { isWhole: false, source: "estimated", next: PROCESSES });
  });
});

test("a server that gets SIGTERM finishes the response that it makes", { timeout: 180_000 }, async () => {
  const { secret } = await gateway.customer("ending", "100");
  const call = responsesOf(gateway, secret);
  const { answer, goOn } = heldAnswer();
  upstream.answer(answer);
  const { id } = await call("", inBackground);
  await until(async () => (await call(`/${id}`)).status === "in_progress");
  const { child } = gateway.server();
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await pause(3_000);
  expect(child.exitCode).toBeNull();
  goOn();
  expect(await ended).toEqual([0, null]);
  upstream.answer(answerWith("Hello there"));
  await gateway.start(PROCESSES);
  expect((await call(`/${id}`)).status).toBe("completed");
});

test("a server that gets SIGTERM in the middle of a claim makes what it has claimed", {
  timeout: 180_000,
}, async () => {
  const { secret } = await gateway.customer("claiming", "100");
  const call = responsesOf(gateway, secret);
  let id = "";
  const clean = await holdUpdates(gateway, "background_responses", async (untilHeld) => {
    ({ id } = await call("", inBackground));
    await untilHeld();
    gateway.server().child.kill("SIGTERM");
    await pause(2_000);
  });
  await once(gateway.server().child, "exit");
  await gateway.start();
  await clean();
  expect((await call(`/${id}`)).status).toBe("completed");
});
