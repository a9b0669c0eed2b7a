/** Shared parts of the fault tests: a slow upstream, calls during a fault, and the laws. */
import { expect } from "vitest";
import type { ClientResult, EmbeddedGateway } from "./embedded-gateway";
import { isReady } from "./process";
import { until } from "./until";
import { answerWith, chatDelta, chatUsage, type UpstreamHandler, usage } from "./upstream";
import type { SimulatorOptions } from "./video-simulator";

export const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 10);

const CALLS = 100;
/** The time between the starts of two calls, so that at any moment some begin, some run and some end. */
const PACE_MS = 15;
/** A lease, the pause between two sweeps, and a margin for a slow machine. */
const SETTLED_WITHIN_MS = 60_000;
const WORDS = 20;

/** The pause of a client after a failed call: clients without a pause would leave no processor for the recovery. */
export const RECOVERS_MS = 250;

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The rounds of each fault. `after`: the number of ended calls before it. */
export const rounds = Array.from({ length: ROUNDS }, (_, index) => ({
  round: index + 1,
  after: 5 + ((index * 37) % 80),
}));

/** Twenty words with a pause between them; a JSON answer takes as long. */
export const slowly =
  (wordMs: () => number = () => 10 + Math.random() * 50, counts = usage(10, WORDS)): UpstreamHandler =>
  async (call, response, request) => {
    const each = wordMs();
    if (call.body.stream !== true) {
      await pause(WORDS * each);
      await answerWith("slow", counts)(call, response, request);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let word = 0; word < WORDS && !response.destroyed; word++) {
      response.write(chatDelta({ content: "slow " }));
      await pause(each);
    }
    response.end(`${chatDelta({}, "stop")}${chatUsage(counts)}data: [DONE]\n\n`);
  };

/** A vendor of videos that refuses no account, and accepts an order slowly enough to be killed meanwhile. */
export const patientVendor: SimulatorOptions = {
  accounts: { "upstream-one": "main", "upstream-two": "main" },
  timing: (_model, serial) => ({ queueMs: 200, runMs: 500 + (serial % 5) * 500 }),
  capacity: 10_000,
  queueLimit: 10_000,
  latency: (kind) => (kind === "submit" ? 150 : 30),
};

/**
 * 100 calls, every other one a stream. `strike` is called once, when `after` of them have ended. Each has its own
 * connection: kept ones may all be at one of the processes, and a strike at another would end no call.
 */
export async function callUntil(
  { call }: EmbeddedGateway,
  after: number,
  strike: () => unknown,
): Promise<ClientResult[]> {
  const received: ClientResult[] = [];
  const calls: Promise<unknown>[] = [];
  let striking: Promise<unknown> | null = null;
  for (let index = 0; index < CALLS; index++) {
    const ended = call({ stream: index % 2 === 0, isAlone: true }).then((each) => {
      if (received.push(each) >= after) {
        striking ??= Promise.resolve(strike());
      }
    });
    calls.push(ended);
    await pause(PACE_MS);
  }
  await Promise.all(calls);
  await striking;
  return received;
}

/** Waits until the money of dead processes is back, and checks every law against the clients' real results. */
export async function expectLawful(gateway: EmbeddedGateway, received: ClientResult[]): Promise<void> {
  await until(() => isReady(gateway.server().url), SETTLED_WITHIN_MS);
  await gateway.withLedger(async (ledger) => {
    await until(async () => (await ledger.allHolds()) === 0, SETTLED_WITHIN_MS);
    expect(await ledger.verify()).toEqual([]);
    const months = await ledger.months([gateway.accountId()]);
    expect(months.map(({ frozen }) => frozen)).toEqual(months.map(() => 0n));
    const entries = await ledger.entriesOfAll(received.flatMap(({ requestId }) => requestId ?? []));
    expect(new Set(entries.map(({ requestId }) => requestId)).size, "no call has two entries").toBe(
      entries.length,
    );
    const captured = new Set(entries.flatMap(({ kind, requestId }) => (kind === "capture" ? requestId : [])));
    const unpaid = received.filter(({ isWhole, requestId }) => isWhole && !captured.has(requestId ?? ""));
    expect(unpaid, "what a client received whole is charged").toEqual([]);
  });
  expect(await gateway.call({ stream: false })).toMatchObject({ isWhole: true });
  expect(await gateway.call({ stream: true })).toMatchObject({ isWhole: true });
}
