import { afterAll, beforeAll, expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import {
  type EmbeddedGateway,
  familyOf,
  type Received,
  startEmbeddedGateway,
} from "@/tests/support/embedded-gateway";
import { type ServerProcess, startServer, waitFor } from "@/tests/support/process";
import {
  type Answer,
  type FakeUpstream,
  sendJson,
  sseChunk,
  startUpstream,
  usage,
} from "@/tests/support/upstream";

/** Each stands still for a lease, so a few say as much as many. */
const ROUNDS = Math.ceil(Number(process.env.FAULT_ROUNDS ?? 10) / 5);
const CALLS = 30;
/** A lease, the pause between two sweeps, and a slow machine. */
const SWEPT_WITHIN_MS = 90_000;

let upstream: FakeUpstream;
let gateway: EmbeddedGateway;
/** Another process on the same database, which takes the frozen one for dead. */
let other: ServerProcess;

/** Something that answers wait for. */
function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const HEAD = { id: "chatcmpl-frozen", created: 1_700_000_000, model: "fault-model" };
const chunk = (more: object) => sseChunk({ ...HEAD, object: "chat.completion.chunk", ...more });
const delta = (content: string, finish: string | null) =>
  chunk({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] });

/** Says a word, and the rest behind a gate; some streams end without having said what they used. */
const answerBehind = (gateOf: (serial: number) => Promise<void>): Answer => {
  let serial = 0;
  return async (asked, response) => {
    const mine = serial++;
    if (asked.body.stream !== true) {
      await gateOf(mine);
      const message = { role: "assistant", content: "slow end" };
      const choices = [{ index: 0, message, finish_reason: "stop" }];
      sendJson(response, 200, { ...HEAD, object: "chat.completion", choices, usage: usage(10, 20) });
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(delta("slow ", null));
    await gateOf(mine);
    const counts = mine % 3 === 0 ? "" : chunk({ choices: [], usage: usage(10, 20) });
    response.end(`${delta("end", "stop")}${counts}data: [DONE]\n\n`);
  };
};

beforeAll(async () => {
  upstream = await startUpstream(answerBehind(async () => {}));
  gateway = await startEmbeddedGateway(upstream.baseUrl);
  other = await startServer({ TOLLGATE_DATA_DIR: gateway.dataDir, BILLING_TIMEZONE: "UTC" });
});
afterAll(async () => {
  await other.stop();
  await gateway.close();
  await upstream.close();
});

/** Calls in whose middle their server stands still until the other one has returned the money of all. */
async function callThroughStandstill(): Promise<Received[]> {
  const [whileStill, afterwards] = [createGate(), createGate()];
  upstream.answer(answerBehind((serial) => (serial % 2 === 0 ? whileStill : afterwards).opened));
  const before = upstream.asked.length;
  const calls = Array.from({ length: CALLS }, (_, index) => gateway.call({ stream: index % 4 !== 0 }));
  await waitFor(() => upstream.asked.length === before + CALLS);
  const family = familyOf(gateway.server());
  const signalAll = (signal: "SIGSTOP" | "SIGCONT") => {
    for (const { pid } of family) {
      process.kill(pid, signal);
    }
  };
  await gateway.withLedger(async ({ db }) => {
    const openHolds = async () => {
      const [row] = await sqlOf(db)<{ count: number }[]>`select count(*)::int as count from holds`;
      return row?.count;
    };
    expect(await openHolds()).toBe(CALLS);
    signalAll("SIGSTOP");
    try {
      whileStill.open();
      await waitFor(async () => (await openHolds()) === 0, SWEPT_WITHIN_MS);
    } finally {
      signalAll("SIGCONT");
      afterwards.open();
    }
  });
  return await Promise.all(calls);
}

const rounds = Array.from({ length: ROUNDS }, (_, index) => index + 1);

test.each(rounds)(
  "a server that stands still for longer than a lease in the middle of its calls is paid once for each of them (round %i)",
  async () => {
    const received = await callThroughStandstill();
    expect(received.map(({ status, isWhole }) => ({ status, isWhole }))).toEqual(
      Array(CALLS).fill({ status: 200, isWhole: true }),
    );
    const ids = received.flatMap(({ requestId }) => requestId ?? []).sort();
    await gateway.withLedger(async (ledger) => {
      const entries = await ledger.entriesOfAll(ids);
      const idsOf = (kind: string) =>
        entries.flatMap((entry) => (entry.kind === kind ? entry.requestId : [])).sort();
      expect(idsOf("release"), "the money of each was returned, once").toEqual(ids);
      expect(idsOf("capture"), "each was delivered, and is charged once").toEqual(ids);
      await waitFor(async () => (await ledger.openHolds(ids)) === 0);
      expect(await ledger.verify()).toEqual([]);
      for (const month of await ledger.months([gateway.accountId()])) {
        expect(month.frozen).toBe(0n);
      }
    });
    upstream.answer(answerBehind(async () => {}));
    expect(await gateway.call({ stream: true })).toMatchObject({ isWhole: true });
    expect((await fetch(`${other.url}/readyz`)).ok).toBe(true);
  },
);
