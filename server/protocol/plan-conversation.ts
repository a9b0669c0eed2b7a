/** Plans a conversation for an upstream of any dialect: forwarded in its own, or through the pivot. */
import { mapResult } from "@/server/base/turns";
import type { Dialect } from "./capabilities";
import { toChat } from "./chat/dialect";
import { toGemini } from "./gemini/dialect";
import { ignoredMembers } from "./ignored-members";
import { toMessages } from "./messages/dialect";
import type { Conversation } from "./pivot/conversation";
import { cutAt } from "./pivot/cut-answer";
import { type ClientCall, planThroughPivot, type ToUpstream, translatedForm } from "./pivot/dialect";
import { droppedTools, withOptionalTools } from "./pivot/hosted-tools";
import { toResponses } from "./responses/dialect";
import { shareStops } from "./stops";
import type { CallTerms, ConversationRequest, ForwardPlan, UpstreamModel } from "./upstream-plan";

const upstreams: Record<Dialect, ToUpstream> = {
  chat: toChat,
  messages: toMessages,
  responses: toResponses,
  gemini: toGemini,
};

/** Reads a client's call once, however many upstreams the gateway tries. */
export function readOnce(client: ClientCall): ClientCall {
  const kept: { read?: Conversation } = {};
  return { ...client, conversation: () => readAgain(client, kept) };
}

function* readAgain(client: ClientCall, kept: { read?: Conversation }): Generator<void, Conversation> {
  kept.read ??= yield* client.conversation();
  return kept.read;
}

/** One of several answers. Each upstream call with the client's seed would give the same one. */
export const withoutSeed = (client: ClientCall): ClientCall => ({
  ...client,
  conversation: () =>
    mapResult(client.conversation(), (read) => {
      const { seed: _seed, ...scalars } = read.scalars;
      return { ...read, scalars };
    }),
});

type PlanFor = ConversationRequest["planFor"];
type Sending = { upstream: UpstreamModel; terms: CallTerms };

export const throughPivot =
  (client: ClientCall, own?: ToUpstream): PlanFor =>
  (upstream, terms) =>
    planInPivot(client, own ?? upstreams[upstream.dialect], { upstream, terms });

function* planInPivot(
  client: ClientCall,
  toUpstream: ToUpstream,
  { upstream, terms }: Sending,
): ReturnType<PlanFor> {
  const read = yield* client.conversation();
  yield;
  const conversation = terms.mayDrop ? withOptionalTools(read) : read;
  const { upstreamStops, cut } = shareStops(conversation.stops, upstream, conversation.stopsField);
  const call = yield* toUpstream({ ...conversation, stops: upstreamStops }, upstream, terms);
  yield;
  return yield* planThroughPivot(cutAt(client, cut), call, {
    dropped: droppedTools(conversation, upstream.capabilities),
    ignored: ignoredMembers(client, conversation, { ...upstream, ...call }),
  });
}

/** Whether an upstream takes fewer stop sequences than a call in its dialect has. */
const hasMoreStops = (stops: unknown, { capabilities: { maxStops } }: UpstreamModel): boolean =>
  Array.isArray(stops) && maxStops !== null && stops.length > maxStops;

type Forward = (upstream: UpstreamModel, terms: CallTerms) => ForwardPlan;

/**
 * Forwards a call that stays in its dialect; any other goes through the pivot, and so does a call whose answer the
 * gateway has to cut at `stops`. Chat has no `stops` here: it cuts its answers itself.
 */
export const planWith =
  (own: Dialect, client: ClientCall, { forward, stops }: { forward: Forward; stops?: unknown }): PlanFor =>
  (upstream, terms) => {
    const translated = () => throughPivot(client)(upstream, terms);
    return upstream.dialect === own && !hasMoreStops(stops, upstream)
      ? forwarded(() => forward(upstream, terms), translated)
      : translated();
  };

function* forwarded(forward: () => ForwardPlan, translated: () => ReturnType<PlanFor>): ReturnType<PlanFor> {
  return { ...forward(), ignored: [], otherForm: () => translatedForm(translated) };
}
