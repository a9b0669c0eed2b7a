import type { JsonObject } from "../fields";
import type { Conversation } from "../pivot/conversation";
import { continues, planCache } from "../prompt-cache";
import { writeScalars } from "../scalars";
import type { ToolNames } from "../tools/tool-names";
import type { CallTerms, UpstreamModel } from "../upstream-plan";
import { textBlocks } from "./blocks-out";
import { keepLatestMarks, markPrompt } from "./cache-marks";
import { planFormat } from "./format-out";
import { writeHistory } from "./history-out";
import { planThinking } from "./thinking-out";
import { planTools } from "./tools-out";

/** The facts needed to read the answer. `schemaTool`: the tool whose input is the answer's text. */
export type AnswerTools = { names: ToolNames; schemaTool: string | null };

/** A model that thinks refuses sampling parameters. */
const thinkingTakes = { sampling: "none", topK: false } as const;

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
    ...(conversation.stops.length > 0 && { stop_sequences: conversation.stops }),
    ...writeScalars(conversation.scalars, {
      ...upstream,
      capabilities: isOn ? { ...takes, ...thinkingTakes } : takes,
    }),
  };
  const cache = planCache(takes, terms, {
    clientMark: conversation.cache,
    continues: continues(conversation),
  });
  if (cache) {
    markPrompt(body, cache);
  }
  keepLatestMarks(body);
  return { body, names: plan.names, schemaTool: plan.schemaTool };
}
