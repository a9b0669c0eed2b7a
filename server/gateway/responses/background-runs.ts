import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { asGatewayError, streamError } from "@/server/base/errors";
import { inTurns } from "@/server/base/turns";
import type { Charge } from "@/server/billing";
import type { SoldModel } from "@/server/catalog";
import type { JsonObject } from "@/server/protocol/fields";
import { sizeInSteps } from "@/server/protocol/json/print";
import { dropMembers, setMembers } from "@/server/protocol/json/splice";
import { readJsonInSteps } from "@/server/protocol/json/text";
import { responsesConversation } from "@/server/protocol/responses/conversation";
import { errorOf } from "@/server/protocol/responses/error-out";
import { estimateInSteps, estimateRest } from "@/server/protocol/responses/estimate";
import { parseResponsesRequest, withReferred } from "@/server/protocol/responses/request";
import type { BackgroundTask } from "@/server/responses";
import type { BodyBudget } from "../body/body-bytes";
import { attemptLine } from "../pipeline/attempt-line";
import { type AuthedCall, nameModel } from "../pipeline/call";
import { fittingLimit, mostOf } from "../pipeline/ceiling";
import { relayPaid } from "../pipeline/conversation";
import type { GatewayDeps } from "../pipeline/gateway-deps";
import { payableResponse } from "../pipeline/request-kinds";
import { asQuoted, backgroundHold, payableLimit } from "./background";
import { backgroundCall } from "./background-call";
import { type BackgroundResult, endOf, failed, lost, nothing, type SoFar } from "./background-end";
import { createBackgroundLook } from "./background-look";
import { loadHistory } from "./load-history";

export type RunDeps = GatewayDeps & {
  bodies: BodyBudget;
  isDraining: () => boolean;
  /** The most responses that are made at a time. */
  maxRuns: number;
};

/** Makes responses in the background, up to a process's limit at a time. */
export type BackgroundRuns = {
  /** Claims queued responses, and renews the leases of those under way. Called periodically. */
  work: () => Promise<void>;
  /**
   * Ends at once the responses that were cancelled, or whose key may no longer call. Their output so far is charged.
   */
  lookAgain: () => Promise<void>;
  /** Returns when no response is under way, or after `ms`. Meanwhile `work` renews leases and starts nothing. */
  finishWithin: (ms: number) => Promise<void>;
  /** Ends the responses under way. Those without output yet are left to another process. */
  close: () => Promise<void>;
};

const RENEW_EVERY_MS = 5_000;
const [FINISH_TRIES, FINISH_PAUSE_MS] = [30, 1_000];

type BackgroundRun = { task: BackgroundTask; stop: AbortController; hasBegun: boolean };
/** The model at its quoted prices, if the key may still use it. Throws as `recheckKey` does, and unknownModel. */
async function admit(
  { access, catalog }: RunDeps,
  { task }: BackgroundRun,
  call: AuthedCall,
): Promise<{ model: SoldModel; isPromptCached: boolean }> {
  const { models, cachesPrompts } = await access.recheckKey(call.caller);
  nameModel({ ...call, caller: { ...call.caller, models } }, task.modelId);
  const model = asQuoted(await catalog.get(task.modelId, "chat", null), task.request.quoted);
  return { model, isPromptCached: cachesPrompts };
}

/** Makes the response, and computes its charge without capturing it. Throws the refusal of the call. */
async function make(deps: RunDeps, run: BackgroundRun, call: AuthedCall): Promise<BackgroundResult> {
  const { task, stop } = run;
  const { id, body, maxOutputTokens, isLowered } = task.request;
  const { model, isPromptCached } = await admit(deps, run, call);
  // Streamed, because an upstream that is silent for minutes would be taken for dead.
  const source = await inTurns(readJsonInSteps(body));
  const streamed = setMembers(dropMembers(source, ["background"]), { stream: true });
  const read = parseResponsesRequest(await inTurns(readJsonInSteps(streamed)));
  const ownTokens = (await inTurns(estimateInSteps(read.input))) + estimateRest(read.fields);
  const request = payableResponse(read, ownTokens);
  const recalled = await loadHistory(deps, call, request.referred);
  const inputTokens =
    request.inputTokens + (await inTurns(estimateInSteps([...recalled.history, ...recalled.items.values()])));
  const want = { ...request, inputTokens, maxOutputTokens };
  const paid = payableLimit(model, want, task.amount);
  const limit = fittingLimit(model, { named: request.maxOutputTokens, paid, inputTokens });
  const made: SoFar = { ...nothing };
  const keep = (kept: JsonObject) => {
    made.response = kept;
  };
  // The charge is written with the response, in one transaction.
  const billing = {
    ...deps.billing,
    capture: async (_hold: unknown, counted: Charge) => {
      made.charge = counted;
    },
    release: () => {},
  };
  const items = withReferred(request, recalled) ?? [];
  const reply = await relayPaid(
    { ...deps, billing },
    {
      ...{ call, model, hold: backgroundHold(task) },
      ceiling: mostOf(model, { ...want, maxOutputTokens: paid }),
      hasNamedLimit: request.maxOutputTokens !== null,
    },
    {
      open: async () => responsesConversation({ id, request, items, keep }, inputTokens),
      terms: {
        maxOutputTokens: limit,
        isCapped: isLowered || paid < maxOutputTokens,
        inputTokens,
        isPromptCached,
      },
    },
  );
  run.hasBegun = true;
  if (!(await deps.background.markBegun(task))) {
    // It was cancelled, or taken for dead, before its first output.
    stop.abort();
  }
  for await (const _piece of reply.body) {
    // `keep` gets the whole response at its end.
  }
  return endOf(task, made, stop.signal.aborted);
}

/** Stores the end of a response. Tries again for half a minute while the database is unavailable. */
async function finish(
  deps: RunDeps,
  task: BackgroundTask,
  made: BackgroundResult & { attempts?: AuthedCall["attempts"] },
): Promise<void> {
  const { background, responses, log } = deps;
  const { requestId, modelId } = task;
  const status = String(made.response.status);
  for (let tries = 1; ; tries++) {
    try {
      const isEnded = await background.finish(task, { ...made, note: status });
      await responses.makeRoom(task.accountId, await inTurns(sizeInSteps(made.response)));
      const attempts = made.attempts?.map(attemptLine);
      log.info({ requestId, modelId, status, isEnded, attempts }, "background response ended");
      return;
    } catch (error) {
      if (tries === FINISH_TRIES) {
        throw error;
      }
      log.warn({ err: error, requestId }, "a background response could not be stored yet");
      await sleep(FINISH_PAUSE_MS);
    }
  }
}

async function makeAndFinish(deps: RunDeps, run: BackgroundRun, call: AuthedCall): Promise<void> {
  const { task, stop } = run;
  try {
    await call.bytes.take(Buffer.byteLength(task.request.body));
  } catch {
    await deps.background.giveBack(task);
    return;
  }
  const made = await make(deps, run, call).catch((error: unknown) => {
    if (stop.signal.aborted) {
      return run.hasBegun ? lost(task) : null;
    }
    const refusal = asGatewayError(error);
    if (refusal.kind === "unavailable" && !run.hasBegun) {
      // The database was unavailable for a moment: no upstream got the call.
      return null;
    }
    const { redact } = deps;
    const clientError = streamError(refusal, { redact, language: task.request.language });
    return failed(errorOf({ code: clientError.code, message: clientError.sentence, slug: refusal.slug }));
  });
  // Ends an answer that was not read to its end.
  stop.abort();
  const { attempts } = call;
  await (made === null ? deps.background.giveBack(task) : finish(deps, task, { ...made, attempts }));
}

export function createBackgroundRuns(deps: RunDeps): BackgroundRuns {
  const { background, log } = deps;
  const runId = randomUUID();
  const running = new Map<string, BackgroundRun>();
  const ends = new Set<Promise<void>>();
  let renewedAt = performance.now();
  let isClosed = false;
  // Tasks that are claimed while the process is told to stop belong to it: it makes them before it exits.
  let claiming: Promise<unknown> = Promise.resolve();

  function track(work: Promise<void>, { requestId }: BackgroundTask): void {
    const ended = work
      .catch((error: unknown) =>
        log.error({ err: error, requestId }, "a background response is left to its lease"),
      )
      .finally(() => ends.delete(ended));
    ends.add(ended);
  }

  function start(task: BackgroundTask): void {
    const run: BackgroundRun = { task, stop: new AbortController(), hasBegun: false };
    running.set(task.hash, run);
    const call = backgroundCall(deps, run);
    const ended = makeAndFinish(deps, run, call).finally(() => {
      call.bytes.release();
      running.delete(task.hash);
    });
    track(ended, task);
  }

  async function allEnded(): Promise<void> {
    await claiming;
    await Promise.all(ends);
  }

  /** Renews the leases. Stops the tasks that no longer belong to this run: they were cancelled, or taken for dead. */
  async function renew(): Promise<void> {
    const runs = [...running.values()];
    const own = await background.renew(
      runId,
      runs.map(({ task }) => task.hash),
    );
    renewedAt = performance.now();
    for (const { task, stop } of runs) {
      if (!own.has(task.hash)) {
        stop.abort();
      }
    }
  }

  const lookAgain = createBackgroundLook(deps, {
    tasksOf: () => [...running.values()].map(({ task }) => task),
    renew,
  });

  return {
    lookAgain,
    work: async () => {
      if (running.size > 0 && performance.now() - renewedAt >= RENEW_EVERY_MS) {
        await renew();
      }
      for (const task of await background.takeOver(runId)) {
        // Not awaited: a task that cannot be ended must not delay the renewal of the others.
        track(finish(deps, task, lost(task)), task);
      }
      const room = deps.maxRuns - running.size;
      if (room > 0 && !isClosed && !deps.isDraining()) {
        const claimed = background.claim(runId, room).then((tasks) => tasks.forEach(start));
        claiming = claimed.catch(() => {});
        await claimed;
      }
    },
    finishWithin: async (ms) => {
      isClosed = true;
      await Promise.race([allEnded(), sleep(ms, undefined, { ref: false })]);
    },
    close: async () => {
      isClosed = true;
      await claiming;
      for (const { stop } of running.values()) {
        stop.abort();
      }
      await Promise.all(ends);
    },
  };
}
