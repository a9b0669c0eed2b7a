import type { AccountId } from "@/server/domain/ids";
import { until } from "@/tests/support/until";
import type { ClientResult, EmbeddedGateway } from "../embedded-gateway";
import { FAULT_MODEL } from "../embedded-gateway";
import { pause, RECOVERS_MS } from "../faults";
import { offers } from "../video-fleet";
import { dueOf, EMBEDDING_MODEL, type Size } from "./upstream";

/** `due`: its charge if it is whole, in nano-units. */
export type Ended = ClientResult & { accountId: AccountId; due: bigint };

/** `taskIds`: the tasks that the client was told for its order. */
export type PlacedOrder = { accountId: AccountId; prompt: string; taskIds: Set<string> };

type EmbeddedCustomer = Awaited<ReturnType<EmbeddedGateway["customer"]>>;

/** `hot`: pays from an escrow; `edge`: only ever has money for a few calls. */
export type Customers = Record<"hot" | "cold" | "other" | "edge" | "videos", EmbeddedCustomer>;

/** Far beyond every deadline of a server: a call that takes so long hangs. */
const FOR_EVER_MS = 120_000;
const MAX_TOKENS = 40;

const draw = (below: number) => Math.floor(Math.random() * below);
const drawSize = (): Size => ({ input: 1 + draw(20), output: 1 + draw(MAX_TOKENS) });

/** For each kind of call: its path, and how to recognise a whole answer. */
const kinds = {
  json: { path: "/v1/chat/completions", isWhole: (text: string) => "choices" in JSON.parse(text) },
  stream: { path: "/v1/chat/completions", isWhole: (text: string) => /^data: \[DONE\]$/m.test(text) },
  embeddings: { path: "/v1/embeddings", isWhole: (text: string) => "data" in JSON.parse(text) },
};
type CallKind = keyof typeof kinds;

function bodyOf(kind: CallKind, { input, output }: Size) {
  const text = `${input} ${output}`;
  return kind === "embeddings"
    ? { model: EMBEDDING_MODEL, input: text }
    : {
        model: FAULT_MODEL,
        stream: kind === "stream",
        max_tokens: MAX_TOKENS,
        messages: [{ role: "user", content: text }],
      };
}

/**
 * Clients that make calls one after the other, whatever happens to the server. `besides`: runs again and again
 * meanwhile.
 */
export function startTraffic(
  { server }: EmbeddedGateway,
  customers: Customers,
  besides: () => Promise<void>,
) {
  const ended: Ended[] = [];
  const orders: PlacedOrder[] = [];
  let isOn = true;
  let isOver = false;
  let busy = 0;

  const send = (path: string, secret: string, init: { body?: object; key?: string } = {}) =>
    fetch(`${server().url}${path}`, {
      method: init.body ? "POST" : "GET",
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/json",
        ...(init.key && { "idempotency-key": init.key }),
      },
      ...(init.body && { body: JSON.stringify(init.body) }),
      signal: AbortSignal.timeout(FOR_EVER_MS),
    });

  async function call(kind: CallKind, { accountId, secret }: EmbeddedCustomer): Promise<void> {
    const size = drawSize();
    const outcome: Ended = {
      accountId,
      due: dueOf(kind, size),
      requestId: null,
      status: null,
      isWhole: false,
    };
    try {
      const response = await send(kinds[kind].path, secret, { body: bodyOf(kind, size) });
      outcome.requestId = response.headers.get("x-request-id");
      outcome.status = response.status;
      outcome.isWhole = kinds[kind].isWhole(await response.text()) && response.status === 200;
    } catch (error) {
      if ((error as Error).name === "TimeoutError") {
        throw error;
      }
      // The server died during the call, or is not up again yet.
    }
    ended.push(outcome);
    if (outcome.status === null || outcome.status >= 500) {
      await pause(RECOVERS_MS);
    }
  }

  async function order({ accountId, secret }: EmbeddedCustomer): Promise<void> {
    const prompt = `video ${orders.length}`;
    const placed: PlacedOrder = { accountId, prompt, taskIds: new Set() };
    orders.push(placed);
    const { model } = offers[orders.length % offers.length] ?? offers[0];
    await until(async () => {
      try {
        const path = "/v1/videos/generations";
        const response = await send(path, secret, { body: { model, prompt }, key: prompt });
        const { id } = (await response.json()) as { id?: string };
        if (response.status === 202 && id !== undefined) {
          placed.taskIds.add(id);
        }
        if (response.status < 500) {
          return true;
        }
      } catch {
        // The server died during the order: sends the same order again, with the same key.
      }
      await pause(RECOVERS_MS);
      return false;
    }, FOR_EVER_MS);
    const [taskId] = placed.taskIds;
    for (let look = 0; look < 10 && isOn && taskId; look++) {
      await pause(300);
      await send(`/v1/videos/generations/${taskId}`, secret).then(
        (response) => response.text(),
        // The server died during the query.
        () => "",
      );
    }
  }

  const callsOf = (
    customer: EmbeddedCustomer,
    { order: ofKinds, everyMs }: { order: CallKind[]; everyMs: number },
  ) => {
    let serial = 0;
    return async () => {
      await call(ofKinds[serial++ % ofKinds.length] ?? "json", customer);
      await pause(draw(2 * everyMs));
    };
  };
  const { hot, cold, other, edge, videos } = customers;
  const usual: CallKind[] = ["json", "stream", "embeddings"];
  const steps = [
    ...Array.from({ length: 6 }, () => callsOf(hot, { order: ["json", "json", ...usual], everyMs: 20 })),
    ...[cold, cold, other].map((customer) => callsOf(customer, { order: usual, everyMs: 150 })),
    ...[edge, edge].map((customer) => callsOf(customer, { order: ["json", "stream"], everyMs: 60 })),
    ...[videos, videos].map((customer) => () => order(customer)),
    besides,
  ];
  const lanes = steps.map(async (step) => {
    while (!isOver) {
      if (isOn) {
        busy++;
        await step();
        busy--;
      } else {
        await pause(20);
      }
    }
  });
  // The caller that waits for the end gets the error.
  const all = Promise.all(lanes);
  all.catch(() => {});

  const stop = async () => {
    isOn = false;
    await Promise.race([all, until(() => busy === 0, 2 * FOR_EVER_MS)]);
  };
  return {
    orders,
    take: (): Ended[] => ended.splice(0),
    /** Returns when no call is under way. Throws if one hangs. */
    stop,
    goOn: () => {
      isOn = true;
    },
    end: async () => {
      await stop();
      isOver = true;
      await all;
    },
  };
}
