import { type Attempt, noteModel } from "@/server/channels";
import type { AnswerContext } from "@/server/protocol/upstream-plan";
import type { GatewayDeps } from "./paid-call";

/** Far longer than any word of a vendor's. */
const MAX_CHARACTERS = 100;

/** What an attempt's answer is heard for beside its words: the model that answers, and what nobody here understands. */
export const hearing = (
  { metrics, log }: Pick<GatewayDeps, "metrics" | "log">,
  attempt: Attempt,
): Required<Pick<AnswerContext, "onModel" | "onUnread">> => {
  /** A stream may say the same in each of its events. */
  const told = new Set<string>();
  const onUnread: Required<AnswerContext>["onUnread"] = ({ member, word }) => {
    if (told.has(member)) {
      return;
    }
    told.add(member);
    metrics.answerUnread(attempt.channel, member);
    if (member === "usage") {
      attempt.hasUnreadCounts = true;
    }
    const { channelId, upstreamModel } = attempt;
    const read = { channelId, upstreamModel, member, word: word.slice(0, MAX_CHARACTERS) };
    log.warn(read, "an upstream's answer has a member that is not understood");
  };
  return { onModel: (name) => noteModel(attempt, name), onUnread };
};
