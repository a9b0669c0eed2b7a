import { expect, test } from "vitest";
import type { UpstreamCall } from "@/server/upstream/adapter";
import { madeUp } from "@/tests/support/made-up";
import { attempt, createStopping, type Dispatch, type Plan, type Planned } from "./attempt";
import { capabilitiesOf } from "./capabilities";
import { blameOf } from "./faults";
import type { Route } from "./routes";

const upstream = {
  dialect: "openai",
  vendor: null,
  baseUrl: "http://127.0.0.1:9/v1",
  upstreamName: "m",
  overrides: null,
} as const;
const route: Route = {
  channelId: madeUp("chn_1"),
  version: "1",
  api: upstream.dialect,
  dialect: "chat",
  baseUrl: upstream.baseUrl,
  secrets: ["sk-upstream-secret"],
  priority: 0,
  weight: 1,
  maxTasks: null,
  timeoutMs: null,
  idleTimeoutMs: null,
  upstreamName: upstream.upstreamName,
  capabilities: capabilitiesOf(upstream),
};
const plan: Plan = { operation: "chat", body: "{}", headers: {} };

const call: Dispatch<unknown, Plan> = {
  modelId: "m",
  accountId: madeUp("acc_1"),
  plan: () => plan,
  accept: async (reply) => reply,
  signal: new AbortController().signal,
};

const run = (send: Planned<Plan>["send"], more: Partial<typeof call> = {}) => {
  const outgoing = { ...call, ...more, stopping: createStopping(new AbortController().signal) };
  return attempt(outgoing, { route, plan, send }, { secret: "sk-upstream-secret", timeoutMs: 1_000 });
};

async function* nothing(): AsyncGenerator<Uint8Array> {}
const good = { status: 200, contentType: "", retryAfterMs: null, body: nothing(), discard: () => {} };

const exceptions = {
  "a type error": () => new TypeError("x is not a function"),
  "a range error": () => new RangeError("Maximum call stack size exceeded"),
  "an error with a code": () => Object.assign(new Error("no"), { code: "ECONNREFUSED", status: 503 }),
  "what is no error": () => "no",
};

test.each(Object.entries(exceptions))(
  "an exception in an adapter counts against no channel: %s",
  async (_, made) => {
    const throwing = async () => {
      throw made();
    };
    for (const ended of [run(throwing), run(async () => good, { accept: throwing })]) {
      const fault = await ended.catch((error: unknown) => error);
      expect(fault).toMatchObject({ reason: "ours" });
      expect(blameOf(fault as Parameters<typeof blameOf>[0])).toBe("nobody");
    }
  },
);

test("a call waits for a place at its origin in its account's name, so that accounts share them out", async () => {
  const asked: UpstreamCall[] = [];
  const send = async (sent: UpstreamCall) => {
    asked.push(sent);
    return good;
  };
  await run(send);
  await run(send, { accountId: madeUp("acc_2") });
  expect(asked.map(({ owner }) => owner)).toEqual(["acc_1", "acc_2"]);
});
