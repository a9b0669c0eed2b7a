import type { Route } from "@/server/channels";
import type { Conversation, Exchange } from "@/server/protocol/exchange";
import type { PaidCall } from "./paid-call";

/** A conversational call whose money is frozen. */
export type ConversationCall = PaidCall & {
  conversation: Conversation;
  /** The call for one route's upstream. Throws cannotConvert. */
  exchange: (route: Route) => Exchange;
};
