import type { ClientRequest } from "@/server/base/client-request";
import { jsonReply, type Reply } from "@/server/base/reply";
import { mapResult } from "@/server/base/turns";
import { behindModels, geminiPath, images } from "@/server/endpoints";
import { readVectors } from "@/server/protocol/embeddings/answer";
import type { DeliveryMode } from "@/server/protocol/gemini/dialect";
import { printGeminiEmbeddings } from "@/server/protocol/gemini/embeddings";
import { predictionBody, toPredictions } from "@/server/protocol/gemini/predict";
import { readCall } from "./body/body";
import { embed } from "./media/embeddings";
import { readJson, relayForwarded } from "./media/forwarded";
import { type AuthedCall, getNamedModel } from "./pipeline/call";
import { relayConversation } from "./pipeline/conversation";
import type { Handler } from "./pipeline/endpoint";
import type { Methods } from "./pipeline/endpoint-tables";
import type { GatewayDeps } from "./pipeline/gateway-deps";
import {
  geminiCountKind,
  geminiEmbeddingsKind,
  geminiKind,
  geminiPredictionKind,
} from "./pipeline/request-kinds";

/** The model and the operation in the address. null: an address of another form. */
function readAddress({ url }: ClientRequest): { model: string; verb: string } | null {
  const [, model, verb] = /^(.+):(\w{1,40})$/.exec(behindModels(new URL(url).pathname) ?? "") ?? [];
  return model === undefined || verb === undefined ? null : { model, verb };
}

/** A stream consists of events if the client asks for them, else of the pieces of an array. */
function deliveryOf(verb: string, { url }: ClientRequest): DeliveryMode {
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
      read: (answer, request) =>
        mapResult(
          readVectors(answer, request),
          (read) => read && { ...read, body: printGeminiEmbeddings(read.vectors, request.isBatch) },
        ),
    });
  };

/** POST `:predict` (spec 4.12): pictures, from a channel that makes them in OpenAI's form. */
const predict =
  (deps: GatewayDeps) =>
  async (call: AuthedCall): Promise<Reply> => {
    const { model } = addressOf(call);
    const { facts, open } = await readCall(call, geminiPredictionKind(model));
    return await relayForwarded(deps, call, {
      ...{ endpoint: images, facts: { ...facts, model }, open, bodyFor: predictionBody },
      accept: (reply, { request, model: sold }) =>
        readJson(reply, { readAnswer: images.readAnswer, request, model: sold, toClient: toPredictions }),
    });
  };

/** The calls of Google's clients, by their ids. */
export const geminiRuns = {
  generateContent,
  streamGenerateContent: generateContent,
  countTokens,
  embedContent,
  batchEmbedContents: embedContent,
  predict,
};

/** Handles POST below a model's address: the call that the address names, or `refuse`. */
export const askModel =
  (tables: ReadonlyMap<string, Methods>, refuse: Handler): Handler =>
  (request, peer, as) => {
    const address = readAddress(request);
    const methods = address && tables.get(geminiPath(address.verb));
    return (methods ? methods.POST : refuse)(request, peer, as);
  };
