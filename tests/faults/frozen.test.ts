import { once } from "node:events";
import { expect, test } from "vitest";
import { type ClientResult, startEmbeddedGateway } from "@/tests/support/embedded-gateway";
import { pause, ROUNDS } from "@/tests/support/faults";
import { gate } from "@/tests/support/gate";
import { perFile } from "@/tests/support/per-file";
import { startServer } from "@/tests/support/process";
import { familyOf } from "@/tests/support/process-tree";
import { until } from "@/tests/support/until";
import {
  answerWith,
  beginEvents,
  chatDelta,
  chatUsage,
  startUpstream,
  type UpstreamHandler,
  usage,
} from "@/tests/support/upstream";

const CALLS = 30;
/** After this time no payer has an escrow: each call has its own hold, and that hold's ledger entry names the call. */
const QUIET_MS = 4_000;
/** A lease, the pause between two sweeps, and a margin for a slow machine. */
const SWEPT_WITHIN_MS = 90_000;

/** Sends a word, and the rest behind a gate; some streams end without a count of tokens. */
const answerBehind = (gateOf: (serial: number) => Promise<void>): UpstreamHandler => {
  let serial = 0;
  return async (call, response, request) => {
    const mine = serial++;
    if (call.body.stream !== true) {
      await gateOf(mine);
      await answerWith("slow end")(call, response, request);
      return;
    }
    beginEvents(response, chatDelta({ content: "slow " }));
    await gateOf(mine);
    const counts = mine % 3 === 0 ? "" : chatUsage(usage(10, 20));
    response.end(`${chatDelta({ content: "end" }, "stop")}${counts}data: [DONE]\n\n`);
  };
};

const upstream = perFile(() => startUpstream(answerBehind(async () => {})));
const gateway = perFile(() => startEmbeddedGateway(upstream.baseUrl));
/** Another process on the same database. It assumes that the frozen one is dead. */
const other = perFile(() => startServer({ TOLLGATE_DATA_DIR: gateway.dataDir, BILLING_TIMEZONE: "UTC" }));

/** Makes calls whose server is paused in the middle until the other one has returned the money of all. */
async function callThroughStandstill(): Promise<ClientResult[]> {
  const [whileStill, afterwards] = [gate(), gate()];
  await pause(QUIET_MS);
  upstream.answer(answerBehind((serial) => (serial % 2 === 0 ? whileStill : afterwards).opened));
  const before = upstream.requests.length;
  const calls = Array.from({ length: CALLS }, (_, index) => gateway.call({ stream: index % 4 !== 0 }));
  await until(() => upstream.requests.length === before + CALLS);
  const family = familyOf(gateway.server());
  const signalAll = (signal: "SIGSTOP" | "SIGCONT") => {
    for (const { pid } of family) {
      process.kill(pid, signal);
    }
  };
  await gateway.withLedger(async ({ allHolds }) => {
    expect(await allHolds()).toBe(CALLS);
    signalAll("SIGSTOP");
    try {
      whileStill.open();
      await until(async () => (await allHolds()) === 0, SWEPT_WITHIN_MS);
    } finally {
      signalAll("SIGCONT");
      afterwards.open();
    }
  });
  return await Promise.all(calls);
}

/** Each round pauses a server for a lease, so a few must be enough. */
const rounds = Array.from({ length: Math.ceil(ROUNDS / 5) }, (_, index) => index + 1);

test.each(rounds)(
  "a server that is paused for longer than a lease in the middle of its calls charges each of them once (round %i)",
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
      await until(async () => (await ledger.openHolds(ids)) === 0);
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

// The other server uses the frozen one's database, which ends with its owner.
test("SIGTERM ends a server whose database is gone", async () => {
  await gateway.server().stop();
  // It has noticed this: it is not ready without a database.
  await until(async () => (await fetch(`${other.url}/readyz`)).status === 503, 30_000);
  const exited = once(other.child, "exit");
  other.child.kill("SIGTERM");
  const late = setTimeout(() => other.child.kill("SIGKILL"), 40_000);
  expect(await exited).toEqual([0, null]);
  clearTimeout(late);
});
