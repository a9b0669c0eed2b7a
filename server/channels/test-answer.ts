import { readChatAnswer } from "@/server/protocol/chat/answer";
import { readEmbeddings } from "@/server/protocol/embeddings/answer";
import { parseEmbeddingsRequest } from "@/server/protocol/embeddings/request";
import type { Counted } from "@/server/protocol/exchange";
import { readMessagesAnswer } from "@/server/protocol/messages/answer";
import { describeErrorBody, readUpstreamError } from "@/server/protocol/upstream-error";
import type { Operation } from "@/server/upstream";

type Judged = {
  ok: boolean;
  message: string;
  usage: { inputTokens: number; outputTokens: number } | null;
};

const MAX_QUOTED_CHARACTERS = 500;

/** An answer as calls read it: a web page with status 200 is none. null: not of its dialect. */
function readAnswer(operation: Operation, body: string, answer: unknown): Counted | null {
  const context = { model: "test", inputTokens: 0, fallbackId: "test", now: new Date(0) };
  if (operation === "embeddings") {
    return readEmbeddings(answer, parseEmbeddingsRequest(body));
  }
  return operation === "messages" ? readMessagesAnswer(answer, context) : readChatAnswer(answer, context);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not of its dialect, which is all that there is to say of it.
    return undefined;
  }
}

/** What a 2xx answer (`text`) to a test's call (`body`) is worth. */
export function judgeAnswer(asked: { operation: Operation; body: string; text: string }): Judged {
  const answer = parseJson(asked.text);
  const words = readUpstreamError(answer);
  if (words) {
    return { ok: false, message: words.message, usage: null };
  }
  const counted = readAnswer(asked.operation, asked.body, answer);
  if (counted === null) {
    const said = describeErrorBody(asked.text).slice(0, MAX_QUOTED_CHARACTERS);
    return { ok: false, message: `not an answer of its dialect: ${said}`, usage: null };
  }
  const { usage, source } = counted;
  const inputTokens =
    usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.cacheWrite1hTokens;
  return {
    ok: true,
    message: "ok",
    usage: source === "upstream" ? { inputTokens, outputTokens: usage.outputTokens } : null,
  };
}
