/** The answers of the fake upstream. */

const PROMPT_TOKENS = 120;
export const WORD = " lorem";
/** As long as `WORD`. */
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

export const answer = {
  begin: choice({ role: "assistant", content: "" }),
  word: (content: string) => choice({ content }),
  end: (words: number) => [
    choice({}, "stop"),
    chunk({ choices: [], usage: chatUsage(words) }),
    Buffer.from("data: [DONE]\n\n"),
  ],
  whole: (words: number) => {
    const message = { role: "assistant", content: WORD.repeat(words) };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    return Buffer.from(
      JSON.stringify({ ...chatHead, object: "chat.completion", choices, usage: chatUsage(words) }),
    );
  },
};
