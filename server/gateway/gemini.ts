import type { EndpointName } from "@/server/base/enums";
import { jsonReply, type Reply } from "@/server/base/reply";
import { readVectors } from "@/server/protocol/embeddings/answer";
import type { DeliveryMode } from "@/server/protocol/gemini/dialect";
import { printGeminiEmbeddings } from "@/server/protocol/gemini/embeddings";
import { predictionBody, toPredictions } from "@/server/protocol/gemini/predict";
import { readCall } from "./body/body";
import { embed } from "./media/embeddings";
import { readJson, relayForwarded } from "./media/forwarded";
import { type AuthedCall, getNamedModel } from "./pipeline/call";
import { relayConversation } from "./pipeline/conversation";
import { type EndpointDeps, endpoint, type Handler } from "./pipeline/endpoint";
import { withIdempotencyKey } from "./pipeline/idempotency-key";
import type { GatewayDeps } from "./pipeline/paid-call";
import { behindModels } from "./pipeline/path-model";
import {
  geminiCountKind,
  geminiEmbeddingsKind,
  geminiKind,
  geminiPredictionKind,
} from "./pipeline/request-kinds";

/** The operations of Google's API with a model, by the end of the address. */
const verbs = {
  generateContent: "gemini.generate",
  streamGenerateContent: "gemini.generate",
  countTokens: "gemini.count_tokens",
  embedContent: "gemini.embed",
  batchEmbedContents: "gemini.embed",
  predict: "gemini.predict",
} as const satisfies Record<string, EndpointName>;

type Verb = keyof typeof verbs;
type GeminiEndpoint = (typeof verbs)[Verb];

const isVerb = (name: string): name is Verb => Object.hasOwn(verbs, name);

/** The model and the operation in the address. null: an address of another form. */
function readAddress({ url }: Request): { model: string; verb: Verb } | null {
  const [, model = "", verb = ""] = /^(.+):(\w{1,40})$/.exec(behindModels(new URL(url).pathname) ?? "") ?? [];
  return isVerb(verb) ? { model, verb } : null;
}

/** The endpoint of a call in Google's API. null: the address names no operation. */
function endpointOf(request: Request): GeminiEndpoint | null {
  const address = readAddress(request);
  return address && verbs[address.verb];
}

/** A stream consists of events if the client asks for them, else of the pieces of an array. */
function deliveryOf(verb: Verb, { url }: Request): DeliveryMode {
  if (verb !== "streamGenerateContent") {
    return "whole";
  }
  return new URL(url).searchParams.get("alt") === "sse" ? "events" : "array";
}

const addressOf = ({ request }: AuthedCall) => readAddress(request) ?? { model: "", verb: "generateContent" };

/** POST `:generateContent` and `:streamGenerateContent` (spec 4.12). */
const generateContent =
  (deps: GatewayDeps) =>
  async (call: AuthedCall): Promise<Reply> => {
    const { model, verb } = addressOf(call);
    const delivery = deliveryOf(verb, call.request);
    const { facts, open } = await readCall(call, geminiKind({ model, delivery }));
    const isStream = delivery !== "whole";
    const reply = await relayConversation(deps, call, { facts: { ...facts, model, isStream }, open });
    return delivery === "array"
      ? { ...reply, headers: { ...reply.headers, "content-type": "application/json; charset=utf-8" } }
      : reply;
  };

/** POST `:countTokens` (spec 4.12): our estimate. Never billed. */
const countTokens =
  (deps: GatewayDeps) =>
  async (call: AuthedCall): Promise<Reply> => {
    const { facts } = await readCall(call, geminiCountKind);
    await getNamedModel(deps.catalog, call, { id: addressOf(call).model, kind: "chat" });
    call.logFields.isEstimate = true;
    return jsonReply(200, { totalTokens: facts.inputTokens });
  };

/** POST `:embedContent` and `:batchEmbedContents` (spec 4.12). */
const embedContent =
  (deps: GatewayDeps) =>
  async (call: AuthedCall): Promise<Reply> => {
    const { model } = addressOf(call);
    const { facts, open } = await readCall(call, geminiEmbeddingsKind(model));
    return await embed(deps, call, {
      facts: { ...facts, model },
      open,
      read: function* (answer, request) {
        const read = yield* readVectors(answer, request);
        return read && { ...read, body: printGeminiEmbeddings(read.vectors, request.isBatch) };
      },
    });
  };

/** POST `:predict` (spec 4.12): pictures, from a channel that makes them in OpenAI's form. */
const predict =
  (deps: GatewayDeps) =>
  async (call: AuthedCall): Promise<Reply> => {
    const { model } = addressOf(call);
    const { facts, open } = await readCall(call, geminiPredictionKind(model));
    const operation = "images";
    return await relayForwarded(deps, call, {
      ...{ operation, facts: { ...facts, model }, open, bodyFor: predictionBody },
      accept: (reply, context) => readJson(reply, { operation, ...context, toClient: toPredictions }),
    });
  };

/** POST below a model's address, for the operations of Google's clients. `refuse`: handles all others. */
export function askModel(deps: EndpointDeps & GatewayDeps, refuse: Handler): Handler {
  const keyed = (name: GeminiEndpoint, run: (call: AuthedCall) => Promise<Reply>) =>
    endpoint(deps, { name, dialect: "gemini", access: "key", run });
  const handlers: Record<GeminiEndpoint, Handler> = {
    "gemini.generate": keyed("gemini.generate", withIdempotencyKey(deps, generateContent(deps))),
    "gemini.count_tokens": keyed("gemini.count_tokens", countTokens(deps)),
    "gemini.embed": keyed("gemini.embed", withIdempotencyKey(deps, embedContent(deps))),
    "gemini.predict": keyed("gemini.predict", withIdempotencyKey(deps, predict(deps))),
  };
  return (request, peer, as) => {
    const name = endpointOf(request);
    return (name === null ? refuse : handlers[name])(request, peer, as);
  };
}
