import { createHash } from "node:crypto";
import type { Capabilities } from "../capabilities";
import type { JsonObject } from "../fields";
import type { Conversation } from "../pivot/conversation";
import { goesOn, planCache } from "../prompt-cache";
import type { ToolNames } from "../tool-names";
import type { CallTerms, UpstreamModel } from "../upstream-plan";
import { textBlocks } from "./blocks-out";
import { keepLatestMarks, markPrompt } from "./cache-marks";
import { planFormat } from "./format-out";
import { writeHistory } from "./history-out";
import { planThinking } from "./thinking-out";
import { planTools } from "./tools-out";

/** The facts needed to read the answer. `schemaTool`: the tool whose input is the answer's text. */
export type AnswerTools = { names: ToolNames; schemaTool: string | null };

/** Sampling parameters that the model takes (litellm#15097: newer models take one of the two). */
function writeSampling(
  { temperature, topP, topK }: Conversation["sampling"],
  { sampling, topK: takesTopK }: Capabilities,
): JsonObject {
  const hasTemperature = temperature !== null && sampling !== "none";
  const hasTopP = topP !== null && (sampling === "full" || (sampling === "one" && !hasTemperature));
  return {
    ...(hasTemperature && { temperature: Math.min(temperature, 1) }),
    ...(hasTopP && { top_p: topP }),
    ...(topK !== null && topK > 0 && takesTopK && { top_k: topK }),
  };
}

const MAX_USER_CHARACTERS = 256;

/**
 * The end user's identifier. The vendor refuses an e-mail address (litellm#10106) and a long one: their hash identifies
 * the same user.
 */
function writeUser(user: string): JsonObject {
  const isLegal = user.length <= MAX_USER_CHARACTERS && !user.includes("@");
  const id = isLegal ? user : createHash("sha256").update(user).digest("hex");
  return user === "" ? {} : { metadata: { user_id: id } };
}

const tiers = { auto: "auto", standard: "standard_only" };

/**
 * Writes a conversation for a messages upstream. Always sets `max_tokens`, never above the paid limit. Throws
 * cannotConvert for parts whose loss would change the call's meaning.
 */
export function* writeMessagesRequest(
  conversation: Conversation,
  upstream: UpstreamModel,
  terms: CallTerms,
): Generator<void, AnswerTools & { body: JsonObject }> {
  const takes = upstream.capabilities;
  const maxTokens = Math.min(terms.maxOutputTokens, takes.maxOutputTokens ?? terms.maxOutputTokens);
  const { system, turns } = yield* writeHistory(conversation, takes);
  const answer = planFormat(conversation.format, takes);
  const plan = planTools(conversation, { takes, called: turns.calledTools(), schema: answer.toolSchema });
  const isForced = plan.choice?.type === "any" || plan.choice?.type === "tool";
  const mayBudget = !isForced && turns.isThinkingIntact;
  const { thinking, effort, isOn } = planThinking(conversation.thinking, { takes, maxTokens, mayBudget });
  if (!isOn && (takes.thinking === "budget" || takes.thinking === "adaptive")) {
    turns.dropThinking();
  }
  const messages = yield* turns.toMessages(plan.names, conversation.isPrefill);
  const instructed = [...system, ...textBlocks(answer.instruction ?? "")];
  const outputConfig = { ...(effort && { effort }), ...(answer.format && { format: answer.format }) };
  const body: JsonObject = {
    model: upstream.name,
    max_tokens: maxTokens,
    stream: conversation.isStream,
    ...(instructed.length > 0 && { system: instructed }),
    messages,
    ...(plan.tools.length > 0 && { tools: plan.tools }),
    ...(plan.choice && { tool_choice: plan.choice }),
    ...(thinking && { thinking }),
    ...(Object.keys(outputConfig).length > 0 && { output_config: outputConfig }),
    ...(!isOn && writeSampling(conversation.sampling, takes)),
    ...(conversation.stops.length > 0 && { stop_sequences: conversation.stops }),
    ...writeUser(conversation.user),
    ...(conversation.tier && { service_tier: tiers[conversation.tier] }),
  };
  const cache = planCache(takes, terms, { clientMark: conversation.cache, goesOn: goesOn(conversation) });
  if (cache) {
    markPrompt(body, cache);
  }
  keepLatestMarks(body);
  return { body, names: plan.names, schemaTool: plan.schemaTool };
}
