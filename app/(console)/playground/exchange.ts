import type { ChatMessage } from "../_components/snippets/snippet-templates";
import type { CallFailure } from "./call";
import type { Delta, TokenUsage } from "./dialect";

/** One question and its answer so far. */
export type Exchange = {
  id: number;
  prompt: string;
  model: string;
  /** `stopped`: the user stopped it. */
  state: "running" | "done" | "stopped" | "failed";
  text: string;
  reasoning: string;
  usage: Partial<TokenUsage> | null;
  finish: string | null;
  requestId: string | null;
  /** Milliseconds from the question. */
  firstWordMs: number | null;
  elapsedMs: number | null;
  failure: CallFailure | null;
};

export const beginExchange = (request: Pick<Exchange, "id" | "prompt" | "model">): Exchange => ({
  ...request,
  state: "running",
  text: "",
  reasoning: "",
  usage: null,
  finish: null,
  requestId: null,
  firstWordMs: null,
  elapsedMs: null,
  failure: null,
});

/** The exchange after another event. */
export function append(exchange: Exchange, delta: Delta, elapsedMs: number): Exchange {
  const isWord = Boolean(delta.text || delta.reasoning);
  return {
    ...exchange,
    text: exchange.text + (delta.text ?? ""),
    reasoning: exchange.reasoning + (delta.reasoning ?? ""),
    usage: delta.usage ? { ...exchange.usage, ...delta.usage } : exchange.usage,
    finish: delta.finish ?? exchange.finish,
    firstWordMs: exchange.firstWordMs ?? (isWord ? elapsedMs : null),
  };
}

/** The conversation so far, as the next call sends it. A question without an answer is not part of it. */
export const historyOf = (exchanges: Exchange[]): ChatMessage[] =>
  exchanges
    .filter(({ text }) => text !== "")
    .flatMap(({ prompt, text }) => [
      { role: "user", content: prompt } as const,
      { role: "assistant", content: text } as const,
    ]);
