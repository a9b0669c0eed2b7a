import type { Timers } from "@/server/base/clock";
import { inTurns, itemsInTurns } from "@/server/base/turns";
import { type Attempt, readLongText, UpstreamFault, type UpstreamReply } from "@/server/channels";
import { parseLongAnswer } from "@/server/protocol/answers/long-answer";
import {
  type EventGroup,
  eventsIn,
  eventsOfList,
  isEventStream,
  readEventData,
} from "@/server/protocol/answers/sse";
import type { AnswerContext, AnswerStream, UpstreamPlan } from "@/server/protocol/upstream-plan";
import { answerContext } from "../pipeline/answer-context";
import type { ConversationCall } from "../pipeline/call";
import type { GatewayDeps } from "../pipeline/gateway-deps";
import { noteLosses } from "../pipeline/losses";
import { MAX_ANSWER_BYTES, parseAnswer } from "../pipeline/relay-answer";
import { startOf } from "./answer-start";
import { createEventGroups } from "./event-groups";
import { digest, faultOf, type OpenedStream, unreadable } from "./stream-frames";

const endedEarly = () => new UpstreamFault("malformed", "the stream ended before its first event");

/**
 * Reads the events in an upstream's bytes. Any error in them is the upstream's fault, such as an event that is too
 * large.
 */
export const readEvents = (body: AsyncIterable<Uint8Array>): AsyncIterator<EventGroup> =>
  readEventData(body, unreadable);

/** A group of events that have already arrived. */
export async function* groupsOf(events: string[]): AsyncGenerator<EventGroup> {
  if (events.length > 0) {
    yield { events, isAlive: false };
  }
}

/** Groups of one event each. Throws UpstreamFault for an event that cannot be printed. */
async function* groupsOfEach(events: Iterable<string | null>): AsyncGenerator<EventGroup> {
  try {
    for await (const event of itemsInTurns(events)) {
      yield { events: event === null ? [] : [event], isAlive: false };
    }
  } catch (error) {
    throw unreadable(error);
  }
}

/** Reads a stream up to its first event. Throws UpstreamFault if the stream ends before, or begins with an error. */
export async function openGroups(
  stream: AnswerStream,
  groups: AsyncIterator<EventGroup>,
  timers: Timers,
): Promise<OpenedStream> {
  for (let next = await groups.next(); !next.done; next = await groups.next()) {
    const digested = digest(stream, next.value.events);
    const first = digested instanceof Promise ? await digested : digested;
    if (stream.isStarted) {
      return { stream, groups: createEventGroups(groups, timers), first };
    }
    if (first.end !== "none") {
      throw first.end === "done" ? endedEarly() : first.end.fault;
    }
  }
  throw stream.doubt ? faultOf(stream.doubt) : endedEarly();
}

/** Opens a JSON answer to a call for a stream. */
async function openWhole(
  plan: UpstreamPlan,
  answer: unknown,
  { context, timers }: { context: AnswerContext; timers: Timers },
): Promise<OpenedStream> {
  if (Array.isArray(answer)) {
    return await openGroups(plan.openStream(context), groupsOfEach(eventsOfList(answer)), timers);
  }
  const played = await inTurns(plan.otherForm().play(answer, context)).catch(unreadable);
  if (played instanceof UpstreamFault) {
    throw played;
  }
  if (typeof played === "string") {
    throw new UpstreamFault(played, "the answer is no stream, and not one of this dialect");
  }
  const { stream, text } = played;
  return {
    stream,
    groups: createEventGroups(groupsOf([]), timers),
    first: { text, isWork: true, end: "done" },
  };
}

/**
 * Opens an upstream's answer as the client's stream, once its first event has come. Throws UpstreamFault if none comes.
 */
export async function openStream(
  deps: GatewayDeps,
  relayed: ConversationCall,
  { reply, plan, attempt }: { reply: UpstreamReply; plan: UpstreamPlan; attempt: Attempt },
): Promise<OpenedStream> {
  const { timers } = deps;
  noteLosses(relayed.call, plan);
  const context = answerContext(deps, relayed, attempt);
  const { isJson, body } = await startOf(reply.body);
  if (isJson) {
    const text = await readLongText(body, MAX_ANSWER_BYTES);
    if (isEventStream(text)) {
      return await openGroups(plan.openStream(context), groupsOfEach(eventsIn(text)), timers);
    }
    const answer = await parseAnswer(text, parseLongAnswer);
    return await openWhole(plan, answer, { context, timers });
  }
  return await openGroups(plan.openStream(context), readEvents(body), timers);
}
