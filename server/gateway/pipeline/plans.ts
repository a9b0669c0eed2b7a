import { GatewayError } from "@/server/base/errors";
import type { Eventual } from "@/server/base/eventual";
import { atOnceIfQuick } from "@/server/base/turns";
import type { Route } from "@/server/channels";
import type { CallTerms, UpstreamPlan } from "@/server/protocol/upstream-plan";
import type { ConversationCall, Plans } from "./call";

export const newPlans = (terms: CallTerms, skipped: Plans | null = null): Plans => ({
  ...{ terms, skipped, takers: new Set(), refusal: null },
});

/** The call for one route's upstream. Throws cannotConvert. */
function planFor(
  { conversation, plans }: ConversationCall,
  { channelId, dialect, upstreamName, capabilities }: Route,
): Eventual<UpstreamPlan> {
  const { terms, skipped } = plans;
  const taken = (plan: UpstreamPlan) => {
    plans.takers.add(channelId);
    return plan;
  };
  const refused = (error: unknown): never => {
    plans.refusal = error;
    throw error;
  };
  try {
    if (skipped?.takers.has(channelId)) {
      throw skipped.refusal;
    }
    const plan = atOnceIfQuick(
      conversation.planFor(
        { dialect, name: upstreamName, capabilities },
        { ...terms, inputTokens: conversation.inputTokens },
      ),
    );
    return plan instanceof Promise ? plan.then(taken, refused) : taken(plan);
  } catch (error) {
    return refused(error);
  }
}

/** The shortest prompt, in tokens, that any vendor caches. */
const MIN_KEPT_TOKENS = 512;

/** The session that the client's program names. It shows better than the prompt which calls belong together. */
const SESSION_HEADER = "x-claude-code-session-id";

/**
 * The key that a conversation shares with others whose prompt a vendor may have cached. null: the prompt is too short.
 */
const affinityOf = ({ call, conversation }: ConversationCall): string | null =>
  conversation.inputTokens < MIN_KEPT_TOKENS
    ? null
    : (call.request.headers.get(SESSION_HEADER)?.slice(0, 256) ?? conversation.prefix());

/** The parts of a dispatch that all forms of a conversation share. */
export const routingOf = (relayed: ConversationCall) => ({
  affinity: () => affinityOf(relayed),
  plan: (route: Route) => planFor(relayed, route),
});

/** Whether no channel can take a call as it is. Then none can take its other parts, and asking again costs as much. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof GatewayError && error.kind === "cannotConvert";
