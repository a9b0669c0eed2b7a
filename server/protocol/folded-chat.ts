/**
 * A chat call with long texts that goes to an upstream of its dialect: its texts are neither decoded nor printed. Any
 * other plan for it reads the whole body.
 */

import { continueWith } from "@/server/base/turns";
import { parseChatConversation } from "./chat/conversation";
import { chatEdit, chatPlan } from "./chat/forward";
import { type ChatRequest, parseChatRequest } from "./chat/request";
import { usesLegacyFunctions } from "./chat/tools-in";
import { type FoldedJson, foldInSteps } from "./json/fold";
import { joinInSteps, readFolded } from "./json/folded";
import { splicePieces } from "./json/splice";
import { readJsonInSteps } from "./json/text";
import { translatedForm } from "./pivot/dialect";
import { promptPrefix } from "./prompt-prefix";
import { mayHaveSigned } from "./tools/tool-ids";
import type { ConversationRequest, UpstreamModel } from "./upstream-plan";
import { estimateInputInSteps } from "./usage/estimate";
import { mostSearches } from "./usage/searches";
import { tiersFor } from "./usage/standard-terms";

/** Whether an upstream gets the call as it came, apart from a few members. */
const isForwarded = ({ dialect, capabilities }: UpstreamModel): boolean =>
  dialect === "chat" && capabilities.promptCache === "none";

/** `whole`: the call, once its body has been read as a whole. */
type LargeChat = {
  request: ChatRequest;
  folded: FoldedJson;
  bytes: Buffer;
  inputTokens: number;
  whole?: ConversationRequest;
};

function* readWhole(large: LargeChat): Generator<void, ConversationRequest> {
  const { bytes, inputTokens } = large;
  large.whole ??= parseChatConversation(yield* readJsonInSteps(bytes.toString()), inputTokens);
  return large.whole;
}

type PlanFor = ConversationRequest["planFor"];

const planWhole = (large: LargeChat, ...args: Parameters<PlanFor>): ReturnType<PlanFor> =>
  continueWith(readWhole(large), (whole) => whole.planFor(...args));

function* planForwarded(large: LargeChat, ...args: Parameters<PlanFor>): ReturnType<PlanFor> {
  const { request, folded } = large;
  return {
    ...chatPlan(request, args[0], {
      contentType: "application/json",
      bytes: yield* joinInSteps(folded, splicePieces(request, chatEdit(request, ...args))),
    }),
    ignored: [],
    otherForm: () => translatedForm(() => planWhole(large, ...args)),
  };
}

/**
 * Reads a large body of POST /v1/chat/completions. Yields, so that long work can pause. null: it has to be read whole. Throws
 * the 400s of spec section 7.
 */
export function* readLargeChat(bytes: Buffer): Generator<void, ConversationRequest | null> {
  const folded = yield* foldInSteps(bytes);
  if (folded === null || mayHaveSigned(folded.text)) {
    return null;
  }
  yield;
  const read = readFolded(folded);
  yield;
  const request = parseChatRequest(read.text);
  if (request.choices !== 1) {
    return null;
  }
  const { fields } = request;
  // Throws for tools that are no objects, as for a call that is read whole.
  usesLegacyFunctions(fields);
  const inputTokens = yield* estimateInputInSteps(fields, read.texts);
  if (!read.texts.areAllTaken()) {
    return null;
  }
  const large = { request, folded, bytes, inputTokens };
  return {
    ...request,
    ...{ inputTokens, readings: 1, units: mostSearches(fields), tiers: tiersFor(fields) },
    prefix: () =>
      promptPrefix(fields, {
        tools: fields.tools ?? fields.functions,
        system: null,
        turns: fields.messages,
      }),
    planFor: (upstream, terms) => (isForwarded(upstream) ? planForwarded : planWhole)(large, upstream, terms),
    rewordRefusal: (words) => words,
  };
}
