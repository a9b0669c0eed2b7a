import type { ConversationCall } from "./call";

/** The shortest prompt, in tokens, that any vendor caches. */
const MIN_KEPT_TOKENS = 512;

/** The session that the client's program names. It shows better than the prompt which calls belong together. */
const SESSION_HEADER = "x-claude-code-session-id";

/**
 * The key that a conversation shares with others whose prompt a vendor may have cached. null: the prompt is too short.
 */
export const affinityOf =
  ({ call, conversation }: Pick<ConversationCall, "call" | "conversation">) =>
  (): string | null =>
    conversation.inputTokens < MIN_KEPT_TOKENS
      ? null
      : (call.request.headers.get(SESSION_HEADER)?.slice(0, 256) ?? conversation.prefix());
