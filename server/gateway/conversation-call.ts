import type { Route } from "@/server/channels";
import type { ConversationRequest, UpstreamPlan } from "@/server/protocol/upstream-plan";
import type { PaidCall } from "./paid-call";

/** A conversational call whose money is frozen. */
export type ConversationCall = PaidCall & {
  conversation: ConversationRequest;
  /** The call for one route's upstream. Throws cannotConvert. */
  plan: (route: Route) => UpstreamPlan;
};
