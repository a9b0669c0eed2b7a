import { expect, test } from "vitest";
import { CancellationSource } from "@/server/base/cancellation";
import { systemTimers } from "@/server/base/clock";
import { type UpstreamCall, UpstreamFault } from "@/server/upstream/adapter";
import { branded } from "@/tests/support/branded";
import { chatRoute } from "@/tests/support/chat-route";
import { blameOf } from "../health/faults";
import { createHealthRegistry } from "../health/registry";
import { type AttemptPlan, type Dispatch, type Planned, UpstreamAttempt } from "./attempt";
import type { Attempt } from "./attempts";

const plan: AttemptPlan = { operation: "chat", body: "{}", headers: {} };

const call: Dispatch<unknown, AttemptPlan> = {
  modelId: "m",
  accountId: branded("acc_1"),
  plan: () => plan,
  accept: async (reply) => reply,
  attempts: [],
  passedOn: {},
  cancellation: new CancellationSource(),
};

const run = async (send: Planned<AttemptPlan>["send"], more: Partial<typeof call> = {}) => {
  const outgoing = {
    ...call,
    ...more,
    stopping: new CancellationSource(),
    timers: systemTimers,
    observe: () => {},
    measured: () => {},
  };
  const trial = createHealthRegistry().begin(
    chatRoute,
    { ...plan, credential: 0, accountId: "acc_1" },
    "repeat",
  );
  if (typeof trial !== "object") {
    throw new Error("a new channel takes every call");
  }
  const by = { secret: "sk-upstream-secret", hint: "cret", timeoutMs: 1_000, trial };
  const attempt = new UpstreamAttempt(outgoing, { route: chatRoute, plan, send }, by);
  try {
    return attempt.succeed(await attempt.accept(await attempt.send()));
  } catch (error) {
    throw attempt.fail(error);
  } finally {
    attempt.close();
  }
};

async function* nothing(): AsyncGenerator<Uint8Array> {}
const good = { status: 200, contentType: "", retryAfterMs: null, body: nothing(), discard: () => {} };

const exceptions = {
  "a type error": () => new TypeError("x is not a function"),
  "a range error": () => new RangeError("Maximum call stack size exceeded"),
  "an error with a code": () => Object.assign(new Error("no"), { code: "ECONNREFUSED", status: 503 }),
  "a value that is no error": () => "no",
};
const exceptionCases = Object.entries(exceptions);

test.each(exceptionCases)(
  "an exception in an adapter counts against no channel: %s",
  async (_, makeException) => {
    const throwing = async () => {
      throw makeException();
    };
    for (const ended of [run(throwing), run(async () => good, { accept: throwing })]) {
      const fault = await ended.catch((error: unknown) => error);
      expect(fault).toMatchObject({ reason: "ours" });
      expect(blameOf(fault as Parameters<typeof blameOf>[0])).toBe("none");
    }
  },
);

test("a call waits for a place at its origin under its account, so that accounts share the places", async () => {
  const calls: UpstreamCall[] = [];
  const send = async (upstreamCall: UpstreamCall) => {
    calls.push(upstreamCall);
    return good;
  };
  await run(send);
  await run(send, { accountId: branded("acc_2") });
  expect(calls.map(({ owner }) => owner)).toEqual(["acc_1", "acc_2"]);
});

test("an attempt is recorded while it runs and after its end, without the credential", async () => {
  const attempts: Attempt[] = [];
  const refusing = async () => ({
    ...good,
    status: 503,
    body: (async function* () {
      yield Buffer.from(JSON.stringify({ error: { message: "sk-upstream-secret is busy" } }));
    })(),
  });
  await run(refusing, { attempts }).catch(() => {});
  expect(attempts).toMatchObject([
    { channel: "first", credential: "cret", upstreamModel: "m", outcome: "refused", status: 503 },
  ]);
  expect(attempts[0]?.words).toMatch(/busy/);
  expect(attempts[0]?.words).not.toContain("sk-upstream-secret");
});

test("a stream's attempt ends when its caller says so", async () => {
  const attempts: Attempt[] = [];
  const done = await run(async () => good, { attempts, isStream: true });
  expect(attempts).toMatchObject([{ outcome: "ok", status: 200, firstMs: expect.any(Number), elapsedMs: 0 }]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  done.ended(new UpstreamFault("broken", "the stream ended without a finish reason"));
  expect(attempts).toMatchObject([{ outcome: "broken", words: "the stream ended without a finish reason" }]);
  expect(attempts[0]?.elapsedMs).toBeGreaterThanOrEqual(19);
});
