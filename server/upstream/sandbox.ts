import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { type Cancellation, toSignal } from "@/server/base/cancellation";
import { objects, textOf } from "@/server/protocol/fields";
import { estimateInput } from "@/server/protocol/usage/estimate";
import { textIn, type Upstream, type UpstreamReply } from "./adapter";
import { embedInSandbox } from "./sandbox-embeddings";

/** The models of the sandbox: real streams, deterministic text, no vendor. */
export const sandboxModels = {
  "sandbox-chat": "chat",
  "sandbox-reasoner": "chat",
  "sandbox-embedding": "embedding",
} as const;

const Request = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })),
  stream: z.boolean().nullish(),
  n: z.number().int().min(1).max(128).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  max_tokens: z.number().nullish(),
  max_completion_tokens: z.number().nullish(),
});

const PACE_MS = 15;

/** Larger prompts are not counted twice: the gateway has counted them in a thread, and that count is used. */
const MAX_COUNTED_CHARACTERS = 1024 * 1024;

function lastUserText(messages: { role: string; content?: unknown }[]): string {
  const content = messages.findLast((message) => message.role === "user")?.content;
  if (typeof content === "string") {
    return content;
  }
  // Clients put files and reminders before the question.
  const texts = objects(content).map((part) => textOf(part.text));
  return texts.findLast((text) => text.trim() !== "") ?? "";
}

/** The text before the first of these stop sequences. */
function untilStop(text: string, stop: string | string[] | null | undefined): string {
  const places = [stop ?? []]
    .flat()
    .map((sequence) => (sequence === "" ? -1 : text.indexOf(sequence)))
    .filter((place) => place !== -1);
  return text.slice(0, Math.min(text.length, ...places));
}

/** The model's full output without a limit, as words that count as one token each. */
function script(
  { model, stop }: z.infer<typeof Request>,
  prompt: string,
): { thinking: string[]; answer: string[] } {
  // A prompt may be as long as a body; only as much as the answer quotes is read.
  const quoted = prompt.trim().slice(0, 1_000).replace(/\s+/g, " ").slice(0, 200);
  const words = (text: string) => text.match(/\S+\s*/g) ?? [];
  const sentence = `You said: "${quoted}". This is the Tollgate sandbox: the same question always gets the same answer, and every token of it is billed as a real one.`;
  const answer = words(untilStop(sentence, stop));
  const thinking = words(
    `The user wrote ${quoted.length} characters. I shall repeat them, say that this is a sandbox, and mention billing. ` +
      "A reasoning model spends its output budget on thoughts like these before it answers. ".repeat(3),
  );
  return { thinking: model === "sandbox-reasoner" ? thinking : [], answer };
}

/** Spec 4.2 rule 1: thinking and answer share one budget, thinking first. */
function withinBudget(full: ReturnType<typeof script>, budget: number) {
  const thinking = full.thinking.slice(0, budget);
  const answer = full.answer.slice(0, Math.max(0, budget - thinking.length));
  const isWhole = thinking.length === full.thinking.length && answer.length === full.answer.length;
  return { thinking, answer, finishReason: isWhole ? "stop" : "length" };
}

const encoder = new TextEncoder();

async function* stream(
  head: Record<string, unknown>,
  output: ReturnType<typeof withinBudget>,
  end: { choices: number; usage: Record<string, unknown>; cancellation: Cancellation },
): AsyncGenerator<Uint8Array> {
  const signal = toSignal(end.cancellation);
  const frame = (rest: Record<string, unknown>) =>
    encoder.encode(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...rest })}\n\n`);
  // A chunk for each choice, interleaved, as vendors send them.
  const deltas = (fields: Record<string, unknown>, finishReason: string | null = null) =>
    Array.from({ length: end.choices }, (_, index) =>
      frame({ choices: [{ index, delta: fields, finish_reason: finishReason }] }),
    );
  yield* deltas({ role: "assistant", content: "" });
  const fragments = [
    ...output.thinking.map((word) => ({ reasoning_content: word })),
    ...output.answer.map((word) => ({ content: word })),
  ];
  for (const fragment of fragments) {
    await sleep(PACE_MS, undefined, { signal });
    yield* deltas(fragment);
  }
  yield* deltas({}, output.finishReason);
  yield frame({ choices: [], usage: end.usage });
  yield encoder.encode("data: [DONE]\n\n");
}

const reply = (status: number, contentType: string, body: AsyncIterable<Uint8Array>): UpstreamReply => ({
  status,
  contentType,
  retryAfterMs: null,
  body,
  discard: () => {},
});

async function* once(value: unknown): AsyncGenerator<Uint8Array> {
  yield encoder.encode(JSON.stringify(value));
}

/** An upstream inside this process, for users without a vendor account. */
export const sandboxUpstream: Upstream = {
  embeddings: embedInSandbox,
  chat: async (call) => {
    const { cancellation } = call;
    const body = textIn(call);
    const json: unknown = JSON.parse(body);
    // A large body is parsed and answered in different turns of the event loop: a real vendor would do neither in this
    // process.
    await nextTurn();
    const parsed = Request.safeParse(json);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const message = `${issue?.path.join(".")}: ${issue?.message}`;
      return reply(400, "application/json", once({ error: { message, type: "invalid_request_error" } }));
    }
    const request = parsed.data;
    const prompt = lastUserText(request.messages);
    const budget = request.max_completion_tokens ?? request.max_tokens ?? Number.MAX_SAFE_INTEGER;
    const output = withinBudget(script(request, prompt), budget);
    const promptTokens = body.length <= MAX_COUNTED_CHARACTERS ? estimateInput(request) : null;
    const count = request.n ?? 1;
    const completionTokens = count * (output.thinking.length + output.answer.length);
    const usage = {
      ...(promptTokens !== null && {
        prompt_tokens: promptTokens,
        total_tokens: promptTokens + completionTokens,
      }),
      completion_tokens: completionTokens,
      completion_tokens_details: { reasoning_tokens: count * output.thinking.length },
    };
    const head = {
      id: `chatcmpl-sandbox-${randomUUID()}`,
      created: Math.floor(Date.now() / 1000),
      model: request.model,
    };
    if (request.stream) {
      return reply(200, "text/event-stream", stream(head, output, { choices: count, usage, cancellation }));
    }
    const message = {
      role: "assistant",
      content: output.answer.join(""),
      ...(output.thinking.length > 0 && { reasoning_content: output.thinking.join("") }),
    };
    const choices = Array.from({ length: count }, (_, index) => ({
      index,
      message,
      finish_reason: output.finishReason,
    }));
    return reply(200, "application/json", once({ ...head, object: "chat.completion", choices, usage }));
  },
};
