import { asGatewayError, envelope, GatewayError } from "@/server/base/errors";
import { newId } from "@/server/base/ids";
import { languageOf } from "@/server/base/language";
import type { Reply } from "@/server/base/reply";
import { type Dispatched, UpstreamFault, type UpstreamReply } from "@/server/channels";
import { readEventData } from "@/server/protocol/sse";
import type { AnswerStream, UpstreamPlan } from "@/server/protocol/upstream-plan";
import type { ConversationCall } from "./conversation-call";
import { createEventGroups, type EventGroups } from "./event-groups";
import { charge, faultOf, type GatewayDeps } from "./paid-call";
import { readOn } from "./read-on";

/** An upstream's stream that has begun well: its first event is in `first`. */
type Opened = { stream: AnswerStream; groups: EventGroups; first: Group };

/**
 * What a group of events comes to: text for the client, and then more to come, the upstream's word that this was all,
 * or what it broke off with. `isWork`: there was more to it than signs of life.
 */
type Group = { text: string; isWork: boolean; end: "none" | "done" | { fault: unknown } };

const SSE_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** How long an upstream may say nothing more after every choice has ended; some never close. */
const LINGER_MS = 5_000;

/**
 * A model whose thinking is not shown says nothing but pings for minutes; one that says nothing else for ever is dead.
 */
const PINGED_PATIENCE = 5;

/** Feeds events to the stream, up to an end among them. */
function digest(stream: AnswerStream, events: string[]): Group {
  let text = "";
  let isWork = false;
  const endWith = (end: Group["end"]): Group => ({ text, isWork, end });
  for (const data of events) {
    const step = stream.push(data);
    if (step.kind === "done") {
      return endWith("done");
    }
    if (step.kind === "error") {
      return endWith({ fault: faultOf(step.words) });
    }
    if (step.kind === "malformed") {
      return endWith({ fault: new UpstreamFault("malformed", "an event is not one of this dialect") });
    }
    text += step.text;
    isWork ||= step.isWork;
  }
  return endWith("none");
}

async function open(
  deps: GatewayDeps,
  relayed: ConversationCall,
  { reply, plan }: { reply: UpstreamReply; plan: UpstreamPlan },
): Promise<Opened> {
  const stream = plan.openStream({
    model: relayed.model.id,
    inputTokens: relayed.conversation.inputTokens,
    fallbackId: newId("gen"),
    now: deps.clock(),
  });
  const groups = readEventData(reply.body);
  for (let next = await groups.next(); !next.done; next = await groups.next()) {
    const first = digest(stream, next.value.events);
    if (stream.isStarted) {
      return { stream, groups: createEventGroups(groups), first };
    }
    if (first.end !== "none") {
      throw first.end === "done" ? endedEarly() : first.end.fault;
    }
  }
  throw endedEarly();
}

const endedEarly = () => new UpstreamFault("malformed", "the stream ended before its first event");

/** The streamed answer. Its head waits for the upstream's first event, its last byte for the charge. */
export async function relayStream(deps: GatewayDeps, relayed: ConversationCall): Promise<Reply> {
  const dispatched = await deps.channels.dispatch({
    modelId: relayed.model.id,
    accountId: relayed.hold.accountId,
    plan: relayed.plan,
    accept: (reply, plan) => open(deps, relayed, { reply, plan }),
    signal: relayed.call.request.signal,
  });
  relayed.call.facts.channelId = dispatched.route.channelId;
  return { status: 200, headers: { ...SSE_HEADERS }, body: clientText(deps, relayed, dispatched) };
}

type Outcome = "complete" | "broken" | "client_gone";

/** What a break in the middle of a stream is called to the client, who has had its 200 already. */
function nameBreak(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) {
    return thrown;
  }
  return thrown instanceof UpstreamFault && thrown.reason === "refused"
    ? new GatewayError("upstreamFailed", thrown.message, { cause: thrown })
    : new GatewayError("upstreamMalformed", "", { cause: thrown });
}

/** Lets an upstream that has said all close its side, so that the connection can be used again. */
function closeGently(groups: EventGroups, abort: () => void): void {
  const until = performance.now() + LINGER_MS;
  const drain = async () => {
    // What comes after the end is nobody's.
    for (let isOver = false; !isOver; ) {
      const next = await groups.next(until - performance.now());
      isOver = next === null || next.done === true;
    }
  };
  drain()
    .catch(() => {})
    .finally(abort);
}

/**
 * What the client reads. However it ends (the upstream's end, its break, the client's hang-up, whoever comes first),
 * the call's money is settled once.
 */
async function* clientText(
  deps: GatewayDeps,
  relayed: ConversationCall,
  { accepted, route, abort }: Dispatched<Opened>,
): AsyncGenerator<string> {
  const { stream, groups } = accepted;
  const { requestId, facts, request, ended } = relayed.call;
  let outcome: Outcome | null = null;
  let isWhole = false;
  const { lost } = relayed.hold;
  lost.addEventListener("abort", abort, { once: true });
  // Whoever waits for the upstream's next word is to hear at once that nobody wants it any more.
  const unwanted = AbortSignal.any([request.signal, deps.stopping]);
  unwanted.addEventListener("abort", groups.interrupt, { once: true });

  const settle = async (how: Outcome, error: string | null): Promise<void> => {
    outcome = how;
    if (how === "complete") {
      closeGently(groups, abort);
    } else {
      abort();
    }
    deps.metrics.streamEnds.inc({ outcome: how });
    try {
      const counted = { ...stream.settled(isWhole), channelId: route.channelId };
      await charge(deps, relayed, { ...counted, isDelivered: true });
      ended(error);
      deps.log.info({ ...facts, requestId, outcome: how }, "stream ended");
    } catch (failure) {
      ended(error ?? asGatewayError(failure).slug);
      deps.log.error({ ...facts, requestId, outcome: how, err: failure }, "stream ended");
      if (asGatewayError(failure).kind !== "billingFailed") {
        // Nothing was settled: without this its lease would be renewed for ever.
        deps.billing.release(relayed.hold, "internal");
      }
      throw failure;
    }
  };

  try {
    // Its money may have gone while the upstream was waited for.
    lost.throwIfAborted();
    const idleTimeoutMs = route.idleTimeoutMs ?? deps.idleTimeoutMs;
    // Some make one choice after the other: the end of those that have begun says little where several were asked for.
    const lingerMs = relayed.conversation.choices > 1 ? idleTimeoutMs : LINGER_MS;
    yield* frames({ ...deps, idleTimeoutMs, lingerMs }, accepted, request.signal);
    isWhole = true;
    await settle("complete", null);
    yield stream.ending();
  } catch (thrown) {
    if (!request.signal.aborted) {
      const named = nameBreak(lost.aborted ? lost.reason : thrown);
      if (outcome === null) {
        // The charge's own failure is logged; the client hears of the break that came first.
        await settle("broken", named.slug).catch(() => {});
      }
      const language = languageOf(request.headers.get("accept-language"));
      yield stream.failing(envelope(named, { redact: deps.redact, language }));
    }
  } finally {
    if (outcome === null) {
      isWhole = await readOn(stream, groups);
      await settle("client_gone", "client_gone").catch(() => {});
    }
    // These signals live as long as the process, and would keep the stream.
    lost.removeEventListener("abort", abort);
    unwanted.removeEventListener("abort", groups.interrupt);
  }
}

/**
 * Text for the client as the upstream delivers, signs of life in its silences. Throws when the upstream breaks off,
 * and when this process stops. Its pings and comments are a sign of work for a while; after its end they prolong
 * nothing.
 */
async function* frames(
  deps: GatewayDeps & { lingerMs: number },
  { stream, groups, first }: Opened,
  client: AbortSignal,
): AsyncGenerator<string> {
  let group = first;
  let workedAt = performance.now();
  let sentAt = workedAt;
  let pingedAt = Number.NEGATIVE_INFINITY;
  /** When the last of the answer came, once its end has been named. One that goes on after that is not cut off. */
  let finishedAt: number | null = null;
  for (;;) {
    if (group.text !== "") {
      const offeredAt = performance.now();
      yield group.text;
      sentAt = performance.now();
      // A client that takes its time is not the upstream's silence.
      workedAt += sentAt - offeredAt;
      finishedAt = finishedAt && finishedAt + sentAt - offeredAt;
    }
    if (group.end === "done") {
      return;
    }
    if (group.end !== "none") {
      throw group.end.fault;
    }
    if (!stream.isFinished) {
      finishedAt = null;
    } else if (finishedAt === null || group.isWork) {
      finishedAt = performance.now();
    }
    const until = finishedAt === null ? sentAt + deps.keepAliveMs : finishedAt + deps.lingerMs;
    const isUnwanted = client.aborted || deps.stopping.aborted;
    const next = isUnwanted ? null : await groups.next(until - performance.now());
    if (next === null && client.aborted) {
      throw new GatewayError("clientGone");
    }
    if (next === null && deps.stopping.aborted && finishedAt === null) {
      throw new GatewayError("unavailable");
    }
    const now = performance.now();
    if (finishedAt !== null && (next === null || next.done || now >= until)) {
      return;
    }
    if (next === null) {
      group = { text: stream.keepAlive, isWork: false, end: "none" };
    } else if (next.done) {
      throw new UpstreamFault("broken", "the stream ended without a finish reason");
    } else {
      group = digest(stream, next.value.events);
    }
    if (group.isWork) {
      workedAt = now;
      continue;
    }
    if (next !== null && (group.text !== "" || (!next.done && next.value.isAlive))) {
      pingedAt = now;
    }
    const isPinging = now - pingedAt < deps.idleTimeoutMs;
    const patienceMs = deps.idleTimeoutMs * (isPinging ? PINGED_PATIENCE : 1);
    if (finishedAt === null && group.end === "none" && now - workedAt >= patienceMs) {
      throw new UpstreamFault("timeout", `no event of the answer for ${Math.round(now - workedAt)} ms`);
    }
  }
}
