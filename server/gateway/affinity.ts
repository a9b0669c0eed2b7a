import type { ConversationCall } from "./paid-call";

/** The shortest prompt, in tokens, that any vendor keeps. */
const MIN_KEPT_TOKENS = 512;

/** The session that the program names. It says better than the prompt which calls belong together. */
const SESSION_HEADER = "x-claude-code-session-id";

/** What a conversation has in common with those whose prompt a vendor may have kept. */
export const affinityOf =
  ({ call, conversation }: Pick<ConversationCall, "call" | "conversation">) =>
  (): string | null =>
    conversation.inputTokens < MIN_KEPT_TOKENS
      ? null
      : (call.request.headers.get(SESSION_HEADER)?.slice(0, 256) ?? conversation.prefix());
