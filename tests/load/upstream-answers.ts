/** What the fake upstream says, in either dialect. */
import type { Dialect } from "./dialects";

type Answers = {
  begin: Buffer[];
  /** The event of one word. */
  word: (text: string) => Buffer;
  end: (words: number) => Buffer[];
  /** The answer that is no stream. */
  whole: (words: number) => Buffer;
};

const PROMPT_TOKENS = 120;
export const WORD = " lorem";
/** As long as that. */
export const OTHER_WORD = " ipsum";

const chatHead = { id: "chatcmpl-bench", created: 1_700_000_000, model: "bench" };
const chatUsage = (output: number) => ({
  prompt_tokens: PROMPT_TOKENS,
  completion_tokens: output,
  total_tokens: PROMPT_TOKENS + output,
});
const chunk = (value: object) =>
  Buffer.from(`data: ${JSON.stringify({ ...chatHead, object: "chat.completion.chunk", ...value })}\n\n`);
const choice = (delta: object, finishReason: string | null = null) =>
  chunk({ choices: [{ index: 0, delta, finish_reason: finishReason }] });

const chat: Answers = {
  begin: [choice({ role: "assistant", content: "" })],
  word: (content) => choice({ content }),
  end: (words) => [
    choice({}, "stop"),
    chunk({ choices: [], usage: chatUsage(words) }),
    Buffer.from("data: [DONE]\n\n"),
  ],
  whole: (words) => {
    const message = { role: "assistant", content: WORD.repeat(words) };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    return Buffer.from(
      JSON.stringify({ ...chatHead, object: "chat.completion", choices, usage: chatUsage(words) }),
    );
  },
};

const event = (value: { type: string; [member: string]: unknown }) =>
  Buffer.from(`event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`);
const message = {
  id: "msg_bench",
  type: "message",
  role: "assistant",
  model: "bench",
  content: [] as object[],
  stop_reason: null as string | null,
  stop_sequence: null,
  usage: { input_tokens: PROMPT_TOKENS, output_tokens: 1 },
};

const messages: Answers = {
  begin: [
    event({ type: "message_start", message }),
    event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
  ],
  word: (text) => event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
  end: (words) => [
    event({ type: "content_block_stop", index: 0 }),
    event({
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: words },
    }),
    event({ type: "message_stop" }),
  ],
  whole: (words) =>
    Buffer.from(
      JSON.stringify({
        ...message,
        content: [{ type: "text", text: WORD.repeat(words) }],
        stop_reason: "end_turn",
        usage: { input_tokens: PROMPT_TOKENS, output_tokens: words },
      }),
    ),
};

export const answers: Record<Dialect, Answers> = { chat, messages };
