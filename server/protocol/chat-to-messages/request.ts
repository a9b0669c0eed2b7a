import { createHash } from "node:crypto";
import { details } from "@/server/base/details";
import { cannotConvert, requireText } from "../cannot-convert";
import type { Capabilities } from "../capabilities";
import { type JsonObject, objects } from "../fields";
import type { ToolNames } from "../tool-names";
import type { Terms, UpstreamModel } from "../upstream-plan";
import { readAnswerFormat } from "./answer-format";
import { keepLatestMarks } from "./cache-marks";
import { textBlocks } from "./content";
import { readHistory } from "./history";
import { planThinking } from "./thinking";
import { planTools } from "./tools";

/** A chat request in the messages dialect, and what reading the answer takes. */
export type MessagesRequest = {
  body: JsonObject;
  names: ToolNames;
  /** The tool whose input is the answer's text. */
  schemaTool: string | null;
  /** The client knows `function_call` only, not `tool_calls`. */
  usesLegacyFunctions: boolean;
};

/** Without these the call would be another one. */
function refuseUnknown({ n, modalities, audio }: JsonObject): void {
  if (typeof n === "number" && n !== 1) {
    cannotConvert(details.oneResult());
  }
  if (audio || (Array.isArray(modalities) && modalities.includes("audio"))) {
    cannotConvert(details.noAudio());
  }
}

function readStops(stop: unknown, takes: Capabilities): JsonObject {
  // A blank one is refused.
  const stops = [stop ?? []]
    .flat()
    .map((text) => requireText(text, "stop"))
    .filter((text) => text.trim() !== "");
  if (takes.maxStops !== null && stops.length > takes.maxStops) {
    cannotConvert(details.mostItems("stop", takes.maxStops));
  }
  return stops.length > 0 ? { stop_sequences: stops } : {};
}

/** Sampling parameters, as far as the model takes them (litellm#15097: newer ones take one of the two). */
function readSampling(fields: JsonObject, takes: Capabilities): JsonObject {
  const { temperature, top_p, top_k } = fields;
  const sampling = {
    ...(typeof temperature === "number" && { temperature: Math.min(temperature, 1) }),
    ...(typeof top_p === "number" && { top_p }),
  };
  if (takes.sampling === "one" && "temperature" in sampling) {
    delete sampling.top_p;
  }
  return {
    ...(takes.sampling !== "none" && sampling),
    ...(typeof top_k === "number" && top_k > 0 && takes.topK && { top_k }),
  };
}

const MAX_USER_CHARACTERS = 256;

/** Whose call it is. The vendor refuses an address (litellm#10106) and a long one: their hash names the same user. */
function readUser({ user, safety_identifier: safetyIdentifier }: JsonObject): JsonObject {
  const id = [user, safetyIdentifier].find((name) => typeof name === "string" && name !== "");
  if (typeof id !== "string") {
    return {};
  }
  const isLegal = id.length <= MAX_USER_CHARACTERS && !id.includes("@");
  return { metadata: { user_id: isLegal ? id : createHash("sha256").update(id).digest("hex") } };
}

const serviceTiers = new Map<unknown, string>([
  ["auto", "auto"],
  ["default", "standard_only"],
  ["standard_only", "standard_only"],
]);

/**
 * A client's whole chat request (parsed by `chat/request.ts`) for a messages upstream. `max_tokens` is always named
 * and never above what was paid for. Tuning hints and vendors' fields that have no counterpart are left out; throws
 * GatewayError `cannotConvert` (400) for what the call would not be the same without.
 */
export function toMessagesRequest(
  fields: JsonObject,
  upstream: UpstreamModel,
  terms: Terms,
): MessagesRequest {
  refuseUnknown(fields);
  const takes = upstream.capabilities;
  const maxTokens = Math.min(terms.maxOutputTokens, takes.maxOutputTokens ?? terms.maxOutputTokens);
  const messages = objects(fields.messages);
  const { system, turns } = readHistory(messages, takes);
  const answer = readAnswerFormat(fields.response_format, takes);
  const plan = planTools(fields, { takes, called: turns.calledTools(), schema: answer.toolSchema });
  const { names, schemaTool, usesLegacyFunctions } = plan;
  const isForced = plan.choice?.type === "any" || plan.choice?.type === "tool";
  const mayBudget = !isForced && turns.isThinkingIntact;
  const { thinking, effort, isOn } = planThinking(fields, { takes, maxTokens, mayBudget });
  if (!isOn && (takes.thinking === "budget" || takes.thinking === "adaptive")) {
    turns.dropThinking();
  }
  const instructed = [...system, ...textBlocks(answer.instruction ?? "")];
  const outputConfig = { ...(effort && { effort }), ...(answer.format && { format: answer.format }) };
  const tier = serviceTiers.get(fields.service_tier);
  const body: JsonObject = {
    model: upstream.name,
    max_tokens: maxTokens,
    stream: fields.stream === true,
    ...(instructed.length > 0 && { system: instructed }),
    messages: turns.toMessages(names, messages.at(-1)?.role === "assistant"),
    ...(plan.tools.length > 0 && { tools: plan.tools }),
    ...(plan.choice && { tool_choice: plan.choice }),
    ...(thinking && { thinking }),
    ...(Object.keys(outputConfig).length > 0 && { output_config: outputConfig }),
    ...(!isOn && readSampling(fields, takes)),
    ...readStops(fields.stop, takes),
    ...readUser(fields),
    ...(tier && { service_tier: tier }),
  };
  keepLatestMarks(body);
  return { body, names, schemaTool, usesLegacyFunctions };
}
