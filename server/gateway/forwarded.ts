import type { ModelKind } from "@/server/base/facts";
import type { Reply } from "@/server/base/reply";
import type { Model } from "@/server/catalog";
import {
  type ForwardedOperation,
  forwardedOperations,
  readBytes,
  UpstreamFault,
  type UpstreamReply,
} from "@/server/channels";
import { isJsonObject } from "@/server/protocol/fields";
import { forwardedEndpoints } from "@/server/protocol/forwarded/endpoints";
import type { ForwardedRequest } from "@/server/protocol/forwarded/forwarded";
import { speechCounted } from "@/server/protocol/forwarded/speech";
import { setMembers } from "@/server/protocol/json-splice";
import type { Counted } from "@/server/protocol/upstream-plan";
import { readCall } from "./body";
import { type AuthedCall, getNamedModel } from "./call";
import { charge, freeze, type GatewayDeps, releasingOnFailure } from "./paid-call";
import { readAnswerJson } from "./relay-answer";
import { forwardedKind } from "./request-kinds";

const kinds = {
  images: "image",
  speech: "speech",
  rerank: "rerank",
  moderations: "moderation",
} as const satisfies Record<ForwardedOperation, ModelKind>;

/** Something for each of these endpoints. */
export const eachForwarded = <T>(make: (operation: ForwardedOperation) => T) =>
  Object.fromEntries(forwardedOperations.map((operation) => [operation, make(operation)])) as Record<
    ForwardedOperation,
    T
  >;

/** An hour of speech; no image endpoint sends as much. */
const MAX_SOUND_BYTES = 64 * 1024 * 1024;

type Answer = Counted & { contentType: string; body: string | Uint8Array };

/** Sound, whatever it is called. What is JSON or a page is none. */
async function readSound(reply: UpstreamReply, request: ForwardedRequest): Promise<Answer> {
  const [type = ""] = reply.contentType.split(";", 1);
  if (!/^(?:audio\/[\w.+-]+|application\/octet-stream|text\/event-stream)$/.test(type.trim())) {
    throw new UpstreamFault("malformed", "the answer is not sound");
  }
  const body = await readBytes(reply.body, MAX_SOUND_BYTES);
  return { ...speechCounted(request), contentType: type.trim(), body };
}

async function readJson(
  reply: UpstreamReply,
  { operation, request, model }: Asked & { operation: Exclude<ForwardedOperation, "speech"> },
): Promise<Answer> {
  const answer = await readAnswerJson(reply);
  const read = isJsonObject(answer) ? forwardedEndpoints[operation].readAnswer(answer, request, model) : null;
  if (!read) {
    throw new UpstreamFault("malformed", "the answer is not one of this endpoint");
  }
  return { ...read, contentType: "application/json; charset=utf-8" };
}

type Asked = { request: ForwardedRequest; model: Model };

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/**
 * An endpoint of one call and one answer (spec 4.10): parse, resolve, hold, dispatch, meter, capture, respond. Sound is
 * read whole, too, so that a break costs nobody anything and another channel can take the call.
 */
export function forwarded(
  deps: GatewayDeps,
  operation: ForwardedOperation,
): (call: AuthedCall) => Promise<Reply> {
  return async (call) => {
    const { known, open } = await readCall(call, forwardedKind(operation));
    const model = await getNamedModel(deps.catalog, call, { id: known.model, kind: kinds[operation] });
    const request = await open();
    const most = forwardedEndpoints[operation].most(request, model);
    const paid = await freeze(deps, { call, model }, { ...most, choices: 1 });
    return await releasingOnFailure(deps, paid.hold, async () => {
      const { route, accepted } = await deps.channels.dispatch({
        modelId: model.id,
        accountId: call.caller.accountId,
        plan: ({ upstreamName }) => ({
          operation,
          headers: {},
          body: setMembers(request, { model: upstreamName }),
        }),
        accept: (reply) =>
          operation === "speech" ? readSound(reply, request) : readJson(reply, { operation, request, model }),
        signal: call.request.signal,
      });
      const { body, contentType, ...counted } = accepted;
      await charge(deps, paid, { ...counted, channelId: route.channelId });
      return {
        status: 200,
        headers: { "content-type": contentType },
        body: typeof body === "string" ? body : whole(body),
      };
    });
  };
}
