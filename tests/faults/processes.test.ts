import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import {
  type EmbeddedGateway,
  familyOf,
  isRunning,
  killHard,
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
const PACE_MS = 15;
/** A lease, the pause between two sweeps, and a slow machine. */
const SETTLED_WITHIN_MS = 60_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Twenty words, each a moment after the one before. */
const slowly: Answer = async (asked, response) => {
  const head = { id: "chatcmpl-slow", created: 1_700_000_000, model: asked.body.model };
  const each = 10 + Math.random() * 50;
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
  response.end(`${chunk({ choices: [], usage: usage(10, 20) })}data: [DONE]\n\n`);
};

let upstream: FakeUpstream;
let gateway: EmbeddedGateway;

beforeAll(async () => {
  upstream = await startUpstream(slowly);
  gateway = await startEmbeddedGateway(upstream.baseUrl);
  await gateway.server().stop();
  await gateway.start({ WEB_CONCURRENCY: "2" });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const pidOf = (name: string) =>
  familyOf(gateway.server()).find((one) => one.name === name && isRunning(one.pid))?.pid ?? 0;

/** 100 calls, every other one a stream; the process is killed when `after` of them have ended. */
async function callWhileKilling(name: string, after: number) {
  const received: Received[] = [];
  const calls: Promise<void>[] = [];
  const killed = pidOf(name);
  let hasStruck = false;
  for (let index = 0; index < CALLS; index++) {
    const call = gateway.call({ stream: index % 2 === 0 }).then((each) => {
      received.push(each);
      if (received.length >= after && !hasStruck) {
        hasStruck = true;
        killHard(killed);
      }
    });
    calls.push(call);
    await pause(PACE_MS);
  }
  await Promise.all(calls);
  return { received, killed };
}

/** What clients received whole is charged once, nothing stays frozen, and no sum drifts. */
async function expectLawful(received: Received[]): Promise<void> {
  await gateway.withLedger(async (ledger) => {
    await waitFor(async () => {
      const [row] = await sqlOf(ledger.db)<{ count: number }[]>`select count(*)::int as count from holds`;
      return row?.count === 0;
    }, SETTLED_WITHIN_MS);
    expect(await ledger.verify()).toEqual([]);
    const entries = await ledger.entriesOfAll(received.flatMap(({ requestId }) => requestId ?? []));
    expect(new Set(entries.map(({ requestId }) => requestId)).size, "no call has two entries").toBe(
      entries.length,
    );
    const captured = new Set(entries.flatMap(({ kind, requestId }) => (kind === "capture" ? requestId : [])));
    const unpaid = received.filter(({ isWhole, requestId }) => isWhole && !captured.has(requestId ?? ""));
    expect(unpaid, "what a client received whole is charged").toEqual([]);
  });
}

const isReplaced = (name: string, killed: number) =>
  waitFor(() => ![0, killed].includes(pidOf(name)), 30_000);

const rounds = Array.from({ length: ROUNDS }, (_, index) => ({
  round: index + 1,
  after: 5 + ((index * 37) % 80),
}));

describe("in the middle of 100 calls,", () => {
  test.each(rounds)(
    "a gateway process is killed: no cent is lost, the other one serves, and it is replaced (round $round)",
    async ({ after }) => {
      const { received, killed } = await callWhileKilling("gateway-1", after);
      expect(received.some(({ isWhole }) => !isWhole)).toBe(true);
      expect(received.filter(({ isWhole }) => isWhole).length).toBeGreaterThan(after);
      await isReplaced("gateway-1", killed);
      await expectLawful(received);
    },
  );

  test.each(rounds)(
    "the console's process is killed: no call notices, and it is replaced (round $round)",
    async ({ after }) => {
      const { received, killed } = await callWhileKilling("console", after);
      expect(received.filter(({ isWhole }) => !isWhole)).toEqual([]);
      await isReplaced("console", killed);
      const signIn = () => fetch(`${gateway.server().url}/sign-in`);
      await expect.poll(async () => (await signIn()).status, { timeout: 30_000 }).toBe(200);
      await expectLawful(received);
    },
  );

  test("the parent is killed: its processes finish and end, and the next start comes up by itself", async () => {
    const family = familyOf(gateway.server());
    const { received } = await callWhileKilling("parent", 30);
    await waitFor(() => !family.some(({ pid }) => isRunning(pid)), 60_000);
    await gateway.start({ WEB_CONCURRENCY: "2" });
    await expectLawful(received);
    expect(await gateway.call({ stream: true })).toMatchObject({ isWhole: true });
  });
});
