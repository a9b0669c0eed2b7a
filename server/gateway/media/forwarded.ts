import { printedReply, type Reply } from "@/server/base/reply";
import { inTurns } from "@/server/base/turns";
import type { SoldModel } from "@/server/catalog";
import { readBytes, UpstreamFault, type UpstreamReply } from "@/server/channels";
import type { readEndpoints } from "@/server/endpoints";
import { isJsonObject, type JsonObject } from "@/server/protocol/fields";
import {
  countedAsRequested,
  type JsonReader,
  type KnownForwarded,
} from "@/server/protocol/forwarded/forwarded";
import { parseEdit } from "@/server/protocol/forwarded/images";
import { type PrintedJson, printInSteps } from "@/server/protocol/json/print";
import { setMembers } from "@/server/protocol/json/splice";
import { type Upload, withFields } from "@/server/protocol/multipart/form";
import type { CountedUsage } from "@/server/protocol/upstream-plan";
import { standardTerms } from "@/server/protocol/usage/standard-terms";
import { formsOf, type ReadCall, readCall, readSent } from "../body/body";
import { type AuthedCall, getNamedModel } from "../pipeline/call";
import { costHeader } from "../pipeline/charge";
import { dispatchAndCharge } from "../pipeline/dispatch-call";
import { freezeForCall, releasingOnFailure } from "../pipeline/freeze";
import type { GatewayDeps } from "../pipeline/gateway-deps";
import { readAnswerJson } from "../pipeline/relay-answer";
import { forwardedKind } from "../pipeline/request-kinds";
import { relayImages } from "./streamed-images";

/** A forwarded call whose answer is JSON or sound. */
type ReadEndpoint = (typeof readEndpoints)[number];

/** An hour of speech; no image endpoint sends as much. */
const MAX_SOUND_BYTES = 64 * 1024 * 1024;

type ForwardedAnswer = CountedUsage & { output: { contentType: string; sound: Uint8Array } | PrintedJson };

/** Types of sound, also with parameters, such as the sample rate. */
const SOUND =
  /^(?:audio\/[\w.+-]+|application\/octet-stream|text\/event-stream)(?:\s*;\s*[\w.+-]+=(?:[\w.+-]+|"[\w .+-]*"))*\s*;?$/i;

/** Reads sound of any type. Throws UpstreamFault for JSON, a page or an empty body. */
async function readSound(reply: UpstreamReply, request: KnownForwarded): Promise<ForwardedAnswer> {
  const contentType = reply.contentType.trim();
  const body = SOUND.test(contentType) ? await readBytes(reply.body, MAX_SOUND_BYTES) : null;
  if (body === null || body.byteLength === 0) {
    throw new UpstreamFault("malformed", "the answer is not sound");
  }
  return { ...countedAsRequested(request), output: { contentType, sound: body } };
}

/**
 * Reads a JSON answer. `toClient`: translates it, if the client's form is not the upstream's; null: the answer has no
 * such form. Throws UpstreamFault.
 */
export async function readJson(
  reply: UpstreamReply,
  {
    readAnswer,
    request,
    model,
    toClient,
  }: ForwardedCall & {
    readAnswer: JsonReader["readAnswer"];
    toClient?: (answer: JsonObject) => JsonObject | null;
  },
): Promise<ForwardedAnswer> {
  const answer = await readAnswerJson(reply);
  const read = isJsonObject(answer) ? readAnswer(answer, request, model) : null;
  const body = toClient && isJsonObject(answer) ? toClient(answer) : read?.body;
  const output = read && body ? await inTurns(printInSteps(body)) : null;
  if (!read || !output) {
    throw new UpstreamFault("malformed", "the answer is not one of this endpoint");
  }
  return { ...read, output };
}

type ForwardedCall = { request: KnownForwarded; model: SoldModel };

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** `bodyFor`: the body for an upstream that knows the model by this name. */
type PreparedRequest = KnownForwarded & { bodyFor: (name: string) => string | Upload };

/** Reads a call in JSON, or as a form if its endpoint takes one. Throws the 400s of spec section 7, 429 and 503. */
async function readAsked(
  call: AuthedCall,
  endpoint: ReadEndpoint,
): Promise<ReadCall<KnownForwarded, PreparedRequest>> {
  const isRead = call.form !== undefined || call.body !== undefined;
  const { form, body } = isRead ? call : await readSent(call, formsOf(endpoint));
  if (form !== undefined) {
    const edit = parseEdit(form, call.pathModel ?? null);
    return {
      facts: edit,
      open: async () => ({ ...edit, bodyFor: (name) => withFields(form, { model: name }) }),
    };
  }
  const callWithBody = { ...call, ...(body !== undefined && { body }) };
  const { facts, open } = await readCall(callWithBody, forwardedKind(endpoint));
  return {
    facts,
    open: async () => {
      const request = await open();
      const bodyFor = (name: string) =>
        setMembers(request, {
          ...standardTerms(request.fields, { name, dialect: "chat" }),
          model: name,
        });
      return { ...request, bodyFor };
    },
  };
}

/**
 * Relays a call with one answer, in JSON or as a form: resolve, hold, dispatch, meter, capture, respond. Sound is also
 * read whole, so that a break costs nothing and another channel can take the call.
 */
export async function relayForwarded<Request extends KnownForwarded>(
  deps: GatewayDeps,
  call: AuthedCall,
  {
    endpoint: { name: operation, kind, ceiling },
    facts,
    open,
    bodyFor,
    accept,
  }: ReadCall<KnownForwarded, Request> & {
    endpoint: ReadEndpoint;
    /** The body for an upstream that knows the model by this name. */
    bodyFor: (request: Request, name: string) => string | Upload;
    /** Throws UpstreamFault. */
    accept: (
      reply: UpstreamReply,
      context: { request: Request; model: SoldModel },
    ) => Promise<ForwardedAnswer>;
  },
): Promise<Reply> {
  call.logFields.stream = facts.billableParts.isStream ?? false;
  const model = await getNamedModel(deps.catalog, call, { id: facts.model, kind });
  const paid = await freezeForCall(deps, { call, model }, ceiling(facts, model));
  return await releasingOnFailure(deps, paid.hold, async () => {
    const request = await open();
    // More pictures than the client asked for are an upstream's mistake.
    const bounded = { ...paid, hasNamedLimit: paid.hasNamedLimit || kind === "image" };
    const plan = ({ upstreamName }: { upstreamName: string }) => ({
      ...{ operation, headers: {} },
      body: bodyFor(request, upstreamName),
    });
    if (facts.billableParts.isStream) {
      return await relayImages(deps, bounded, { request, model, plan });
    }
    const { output } = await dispatchAndCharge(deps, bounded, {
      plan,
      accept: (reply) => accept(reply, { request, model }),
    });
    return "pieces" in output
      ? printedReply(costHeader(call), output)
      : {
          status: 200,
          headers: { "content-type": output.contentType, ...costHeader(call) },
          body: whole(output.sound),
        };
  });
}

/** Handles an endpoint whose calls are forwarded in the client's words (spec 4.10). */
export const forwarded =
  (deps: GatewayDeps, endpoint: ReadEndpoint) =>
  async (call: AuthedCall): Promise<Reply> => {
    const { readAnswer } = endpoint;
    return await relayForwarded(deps, call, {
      ...(await readAsked(call, endpoint)),
      endpoint,
      bodyFor: (request, name) => request.bodyFor(name),
      accept: (reply, context) =>
        readAnswer === null ? readSound(reply, context.request) : readJson(reply, { readAnswer, ...context }),
    });
  };
