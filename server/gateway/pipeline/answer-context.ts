import { type Attempt, noteModel } from "@/server/channels";
import { newId } from "@/server/domain/ids";
import type { AnswerContext } from "@/server/protocol/upstream-plan";
import type { ConversationCall } from "./call";
import { costReporter } from "./charge";
import type { GatewayDeps } from "./gateway-deps";

/** Far longer than any vendor's word. */
const MAX_CHARACTERS = 100;

/** Counts and logs the members of an attempt's answer that the gateway does not understand. */
function createUnreadReport({ metrics, log }: GatewayDeps, attempt: Attempt): AnswerContext["onUnread"] {
  /** A stream may repeat a member in each of its events. */
  const reportedMembers: string[] = [];
  return ({ member, word }) => {
    if (reportedMembers.includes(member)) {
      return;
    }
    reportedMembers.push(member);
    metrics.answerUnread(attempt.channel, member);
    if (member === "usage") {
      attempt.hasUnreadCounts = true;
    }
    const { channelId, upstreamModel } = attempt;
    const read = { channelId, upstreamModel, member, word: word.slice(0, MAX_CHARACTERS) };
    log.warn(read, "an upstream's answer has a member that is not understood");
  };
}

/** The context for reading an attempt's answer. */
export const answerContext = (
  deps: GatewayDeps,
  relayed: ConversationCall,
  attempt: Attempt,
): AnswerContext => ({
  model: relayed.model.id,
  inputTokens: relayed.conversation.inputTokens,
  fallbackId: newId("gen"),
  now: deps.clock(),
  acceptLanguage: relayed.call.request.headers.get("accept-language"),
  ...costReporter(relayed),
  ...(relayed.thinking && { onThinking: relayed.thinking.keep }),
  onModel: (name) => noteModel(attempt, name),
  onUnread: createUnreadReport(deps, attempt),
});
