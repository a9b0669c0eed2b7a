/** Reads a recording in the messages dialect without any of the server's code. */
import { blame } from "./chat-oracle";
import type { JsonObject, Recording } from "./corpus";
import { fields, list, string } from "./json";
import { eventsOf, foldEvents } from "./messages-events";
import { at, count, type RecordedUsage } from "./usage";

export type MessagesReading =
  /** The whole message, as a JSON answer would have it. */
  | { kind: "answer"; message: JsonObject; usage: RecordedUsage }
  /** No answer at all: the client gets `status`, and with 400 the upstream's words. */
  | { kind: "refused"; status: 400 | 502; words: string };

function readCounts(usage: JsonObject): RecordedUsage {
  const cacheRead = count(usage.cache_read_input_tokens);
  const written = count(usage.cache_creation_input_tokens);
  // Only the start of a stream has the split, so it may describe only a part of the final cache writes.
  const cacheWrite1h = Math.min(written, count(at(usage, "cache_creation", "ephemeral_1h_input_tokens")));
  const thinking = at(usage, "output_tokens_details", "thinking_tokens");
  return {
    prompt: count(usage.input_tokens) + cacheRead + written,
    cacheRead,
    cacheWrite: written - cacheWrite1h,
    cacheWrite1h,
    completion: count(usage.output_tokens),
    reasoning: typeof thinking === "number" ? thinking : null,
  };
}

const sum = (a: RecordedUsage, b: RecordedUsage): RecordedUsage => ({
  prompt: (a.prompt ?? 0) + (b.prompt ?? 0),
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
  cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
  completion: a.completion + b.completion,
  reasoning: a.reasoning,
});

/**
 * The billed usage of a message: its own counts, plus those of compactions and advisors, which the vendor bills too.
 */
function readUsage(usage: JsonObject): RecordedUsage {
  const beside = list(usage.iterations).filter((iteration) => iteration.type !== "message");
  return beside.map(readCounts).reduce(sum, readCounts(usage));
}

export function readMessages({ status, body, exchange }: Recording): MessagesReading {
  const text = body.toString("utf8");
  if (status >= 400) {
    const words = string(at(JSON.parse(text), "error", "message"));
    return { kind: "refused", status: blame(status), words };
  }
  const message = exchange.stream ? foldEvents(eventsOf(text)) : fields(JSON.parse(text));
  return { kind: "answer", message, usage: readUsage(fields(message.usage)) };
}
