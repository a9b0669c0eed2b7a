import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import {
  type EmbeddedGateway,
  isRunning,
  type Received,
  startEmbeddedGateway,
} from "@/tests/support/embedded-gateway";
import { waitFor } from "@/tests/support/process";
import {
  type Answer,
  type FakeUpstream,
  sendJson,
  sseChunk,
  startUpstream,
  usage,
} from "@/tests/support/upstream";

const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 10);
const CALLS = 100;
/** One call begins every so often, so that at any moment some begin, some run and some end. */
const PACE_MS = 15;
/** A lease, the pause between two sweeps, and a slow machine. */
const SETTLED_WITHIN_MS = 60_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Takes its time: 20 words, one every `wordMs`. */
const slowly =
  (wordMs: () => number): Answer =>
  async (asked, response) => {
    const head = { id: "chatcmpl-slow", created: 1_700_000_000, model: asked.body.model };
    const each = wordMs();
    if (asked.body.stream !== true) {
      await pause(20 * each);
      const message = { role: "assistant", content: "slow" };
      const choices = [{ index: 0, message, finish_reason: "stop" }];
      sendJson(response, 200, { ...head, object: "chat.completion", choices, usage: usage(10, 20) });
      return;
    }
    const chunk = (rest: object) => sseChunk({ ...head, object: "chat.completion.chunk", ...rest });
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let word = 0; word < 20 && !response.destroyed; word++) {
      response.write(chunk({ choices: [{ index: 0, delta: { content: "slow " }, finish_reason: null }] }));
      await pause(each);
    }
    response.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }));
    response.write(chunk({ choices: [], usage: usage(10, 20) }));
    response.end("data: [DONE]\n\n");
  };
const usual = slowly(() => 10 + Math.random() * 50);

let upstream: FakeUpstream;
let gateway: EmbeddedGateway;
const totals = { calls: 0, whole: 0, cut: 0, refused: 0 };

beforeAll(async () => {
  upstream = await startUpstream(usual);
  gateway = await startEmbeddedGateway(upstream.baseUrl);
});
afterAll(async () => {
  console.log(`faults: ${JSON.stringify(totals)}`);
  await gateway.close();
  await upstream.close();
});

/** 100 calls, every other one a stream; `strike` comes when `after` of them have ended. */
async function callUntil(after: number, strike: () => Promise<void>): Promise<Received[]> {
  const received: Received[] = [];
  const calls: Promise<unknown>[] = [];
  let striking: Promise<void> | null = null;
  for (let index = 0; index < CALLS; index++) {
    const call = gateway.call({ stream: index % 2 === 0 }).then((each) => {
      received.push(each);
      if (received.length >= after) {
        striking ??= strike();
      }
    });
    calls.push(call);
    await pause(PACE_MS);
  }
  await Promise.all(calls);
  await striking;
  totals.calls += received.length;
  totals.whole += received.filter((each) => each.isWhole).length;
  totals.cut += received.filter((each) => each.status === 200 && !each.isWhole).length;
  totals.refused += received.filter((each) => each.status !== 200).length;
  return received;
}

/** Waits until the dead's money is back, and checks every law against what clients really got. */
async function expectLawful(received: Received[]): Promise<void> {
  await waitFor(
    async () => (await fetch(`${gateway.server().url}/readyz`).catch(() => null))?.ok === true,
    60_000,
  );
  await gateway.withLedger(async (ledger) => {
    await waitFor(async () => {
      const [row] = await sqlOf(ledger.db)<{ count: number }[]>`select count(*)::int as count from holds`;
      return row?.count === 0;
    }, SETTLED_WITHIN_MS);
    expect(await ledger.verify()).toEqual([]);
    for (const month of await ledger.months([gateway.accountId()])) {
      expect(month.frozen).toBe(0n);
    }
    const ids = received.flatMap((each) => each.requestId ?? []);
    const entries = await ledger.entriesOfAll(ids);
    expect(new Set(entries.map((entry) => entry.requestId)).size, "no call has two entries").toBe(
      entries.length,
    );
    const captured = new Set(entries.flatMap((entry) => (entry.kind === "capture" ? [entry.requestId] : [])));
    const unpaid = received.filter((each) => each.isWhole && !captured.has(each.requestId ?? ""));
    expect(unpaid, "what a client received whole is charged").toEqual([]);
  });
  expect(await gateway.call({ stream: false })).toMatchObject({ isWhole: true });
  expect(await gateway.call({ stream: true })).toMatchObject({ isWhole: true });
}

const rounds = Array.from({ length: ROUNDS }, (_, index) => ({
  round: index + 1,
  after: 5 + ((index * 37) % 80),
}));

describe("no cent is lost when, in the middle of 100 calls,", () => {
  test.each(rounds)("the server is killed (round $round, after $after ends)", async ({ after }) => {
    const received = await callUntil(after, gateway.killServer);
    expect(received.some((each) => !each.isWhole)).toBe(true);
    await gateway.start();
    await expectLawful(received);
  });

  test.each(rounds)("PostgreSQL is killed (round $round, after $after ends)", async ({ after }) => {
    const received = await callUntil(after, gateway.killDatabase);
    await expectLawful(received);
  });

  test("everything is killed at once: the next start comes up by itself", async () => {
    const received = await callUntil(30, async () => {
      await Promise.all([gateway.killDatabase(), gateway.killServer()]);
    });
    await gateway.start();
    await expectLawful(received);
    const verdict = execFileSync(process.execPath, ["dist/cli.js", "ledger", "verify", "--json"], {
      env: { PATH: process.env.PATH ?? "", NODE_ENV: "production", TOLLGATE_DATA_DIR: gateway.dataDir },
      encoding: "utf8",
    });
    expect(JSON.parse(verdict)).toEqual({ ok: true, drift: [] });
  });
});

/** Sends SIGTERM while ten streams run; resolves when the process is gone. */
async function terminateDuringStreams(): Promise<Received[]> {
  const { child } = gateway.server();
  const before = upstream.asked.length;
  const postmaster = await gateway.postmasterPid();
  const streams = Array.from({ length: 10 }, () => gateway.call({ stream: true }));
  await waitFor(() => upstream.asked.length === before + 10);
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await waitFor(async () => (await gateway.call({ stream: false })).status !== 200);
  const asked = upstream.asked.length;
  expect(await gateway.call({ stream: true })).toMatchObject({ isWhole: false });
  expect(upstream.asked.length, "nobody new is served").toBe(asked);
  const received = await Promise.all(streams);
  expect(await exited).toEqual([0, null]);
  await waitFor(() => !isRunning(postmaster));
  return received;
}

/** What the books say right after the next start, before any lease can have run out. */
async function entriesAfterRestart(received: Received[]) {
  await gateway.start();
  return await gateway.withLedger(async (ledger) => {
    const ids = received.flatMap((each) => each.requestId ?? []);
    expect(await ledger.openHolds(ids), "nothing is left frozen").toBe(0);
    expect(await ledger.verify()).toEqual([]);
    return await ledger.entriesOfAll(ids);
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
    await waitFor(() => output.includes("Starting the embedded database") && existsSync(lockFile), 60_000);
    const postmaster = Number(readFileSync(lockFile, "utf8").split("\n")[0]);
    child.kill("SIGTERM");
    await exited;
    await waitFor(() => !isRunning(postmaster));
    await rm(dataDir, { recursive: true, force: true });
  });

  test("running streams finish, new calls are refused, holds are settled, and PostgreSQL goes too", async () => {
    upstream.answer(slowly(() => 100));
    const received = await terminateDuringStreams();
    expect(received.map((each) => each.isWhole)).toEqual(Array(10).fill(true));
    const entries = await entriesAfterRestart(received);
    expect(entries.map((entry) => [entry.kind, entry.usageSource])).toEqual(
      Array(10).fill(["capture", "upstream"]),
    );
  });

  test("streams that do not finish in time are cut, and what was delivered is charged", async () => {
    await gateway.server().stop();
    await gateway.start({ DRAIN_SECONDS: "1" });
    upstream.answer(slowly(() => 500));
    const received = await terminateDuringStreams();
    expect(received.map((each) => each.isWhole)).toEqual(Array(10).fill(false));
    const entries = await entriesAfterRestart(received);
    expect(entries.map((entry) => [entry.kind, entry.usageSource])).toEqual(
      Array(10).fill(["capture", "estimated"]),
    );
  });
});
