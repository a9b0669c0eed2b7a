import { createHook } from "node:async_hooks";
import { expect, test } from "vitest";
import { CancellationSource } from "@/server/base/cancellation";
import { systemTimers } from "@/server/base/clock";
import { createLog } from "@/server/base/log";
import { createDispatcher, createUpstreams } from "@/server/upstream";
import { branded } from "@/tests/support/branded";
import { chatRoute } from "@/tests/support/chat-route";
import { createHealthRegistry } from "../health/registry";
import { createSpeeds } from "../routing/speeds";
import type { AttemptPlan, Dispatch } from "./attempt";
import { dispatch } from "./dispatch";

async function* nothing(): AsyncGenerator<Uint8Array> {}
const good = { status: 200, contentType: "", retryAfterMs: null, body: nothing(), discard: () => {} };
const plan: AttemptPlan = { operation: "chat", body: "{}", headers: {} };

/** Makes one call whose route is in memory, and whose plan and answer need no wait. */
function createCalls() {
  const deps = {
    upstreams: { ...createUpstreams(createDispatcher()), openai: { chat: () => Promise.resolve(good) } },
    findRoutes: () => [chatRoute],
    healths: createHealthRegistry(),
    speeds: createSpeeds(),
    timeoutMs: 60_000,
    stopping: new CancellationSource(),
    random: () => 0.5,
    timers: systemTimers,
    log: createLog("silent"),
    observe: () => {},
  };
  const call = (): Dispatch<string, AttemptPlan> => ({
    modelId: "m",
    accountId: branded("acc_1"),
    plan: () => plan,
    accept: () => "accepted",
    attempts: [],
    passedOn: {},
    cancellation: new CancellationSource(),
  });
  return () => dispatch(deps, call());
}

test("a call that the first attempt answers costs three promises and no timer", async () => {
  const run = createCalls();
  // Starts the timer that all deadlines share.
  await run();
  const created: string[] = [];
  const hook = createHook({ init: (_, type) => void created.push(type) }).enable();
  const answer = await run();
  hook.disable();
  expect(answer.accepted).toBe("accepted");
  // The last is the wait of this test.
  expect(created).toEqual(["PROMISE", "PROMISE", "PROMISE", "PROMISE"]);
});
