/** Upstreams of every dialect with the same answer, whole and as the data of a stream's events. */
import type { Dialect } from "@/server/protocol/capabilities";
import type { JsonObject } from "@/server/protocol/fields";
import type { ModelAnswer } from "./model-answer";

type DialectUpstream = {
  whole: (answer: ModelAnswer) => JsonObject;
  stream: (answer: ModelAnswer) => JsonObject[];
};

const givenIn = (pieces: string[]) => pieces.join("");
const tokens = (pieces: string[], logprob: number | undefined) =>
  logprob === undefined
    ? []
    : pieces.map((token) => ({
        ...{ token, logprob, bytes: [...Buffer.from(token)] },
        top_logprobs: [{ token: "other", logprob: logprob - 1, bytes: null }],
      }));

const chatUsage = ({ usage }: ModelAnswer) => ({
  completion_tokens_details: { reasoning_tokens: usage.reasoning },
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
  prompt_tokens_details: { cached_tokens: usage.cached },
});

function chatFinish({ calls, isCut }: ModelAnswer): string {
  if (isCut) {
    return "length";
  }
  return calls.length > 0 ? "tool_calls" : "stop";
}

const chatTokens = (answer: ModelAnswer, pieces: string[]) =>
  answer.logprob === undefined ? null : { content: tokens(pieces, answer.logprob), refusal: null };

const chat: DialectUpstream = {
  whole: (answer) => {
    const calls = answer.calls.map(({ name, pieces }, index) => ({
      ...{ id: `call_${index}`, type: "function", function: { name, arguments: givenIn(pieces) } },
    }));
    const message = {
      role: "assistant",
      content: answer.text.join(""),
      reasoning_content: answer.thinking.join(""),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    const choice = {
      ...{ index: 0, message, finish_reason: chatFinish(answer) },
      logprobs: chatTokens(answer, answer.text),
    };
    return { id: "up", object: "chat.completion", choices: [choice], usage: chatUsage(answer) };
  },
  stream: (answer) => {
    const chunk = (delta: JsonObject, rest: JsonObject = {}) => ({
      ...{ id: "up", object: "chat.completion.chunk" },
      choices: [{ index: 0, delta, finish_reason: null, ...rest }],
    });
    return [
      chunk({ role: "assistant", content: "" }),
      ...answer.thinking.map((piece) => chunk({ reasoning_content: piece })),
      ...answer.text.map((piece) => chunk({ content: piece }, { logprobs: chatTokens(answer, [piece]) })),
      ...answer.calls.flatMap(({ name, pieces }, index) => [
        chunk({ tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name } }] }),
        ...pieces.map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
      chunk({}, { finish_reason: chatFinish(answer) }),
      { id: "up", object: "chat.completion.chunk", choices: [], usage: chatUsage(answer) },
    ];
  },
};

const messagesUsage = ({ usage }: ModelAnswer) => ({
  input_tokens: usage.input - usage.cached,
  cache_read_input_tokens: usage.cached,
  cache_creation_input_tokens: 0,
  output_tokens: usage.output,
});

function messagesStop({ calls, isCut }: ModelAnswer): string {
  if (isCut) {
    return "max_tokens";
  }
  return calls.length > 0 ? "tool_use" : "end_turn";
}

const messages: DialectUpstream = {
  whole: (answer) => ({
    ...{ id: "msg_up", type: "message", role: "assistant", stop_reason: messagesStop(answer) },
    content: [
      ...(answer.thinking.length > 0
        ? [{ type: "thinking", thinking: answer.thinking.join(""), signature: "sig" }]
        : []),
      ...(answer.text.length > 0 ? [{ type: "text", text: answer.text.join("") }] : []),
      ...answer.calls.map(({ name, pieces }, index) => ({
        ...{ type: "tool_use", id: `toolu_${index}`, name, input: JSON.parse(givenIn(pieces)) },
      })),
    ],
    usage: messagesUsage(answer),
  }),
  stream: (answer) => {
    let index = 0;
    const block = (content_block: JsonObject, deltas: JsonObject[]) => {
      const place = { index: index++ };
      return [
        { type: "content_block_start", ...place, content_block },
        ...deltas.map((delta) => ({ type: "content_block_delta", ...place, delta })),
        { type: "content_block_stop", ...place },
      ];
    };
    const thoughts = answer.thinking.map((thinking) => ({ type: "thinking_delta", thinking }));
    const sealed = [...thoughts, { type: "signature_delta", signature: "sig" }];
    const texts = answer.text.map((text) => ({ type: "text_delta", text }));
    const { usage } = messages.whole(answer);
    return [
      { type: "message_start", message: { id: "msg_up", role: "assistant", content: [], usage } },
      ...(thoughts.length > 0 ? block({ type: "thinking", thinking: "", signature: "" }, sealed) : []),
      ...(texts.length > 0 ? block({ type: "text", text: "" }, texts) : []),
      ...answer.calls.flatMap(({ name, pieces }, place) =>
        block(
          { type: "tool_use", id: `toolu_${place}`, name, input: {} },
          pieces.map((partial_json) => ({ type: "input_json_delta", partial_json })),
        ),
      ),
      { type: "message_delta", delta: { stop_reason: messagesStop(answer) }, usage: messagesUsage(answer) },
      { type: "message_stop" },
    ];
  },
};

function responsesItems(answer: ModelAnswer): { item: JsonObject; deltas: JsonObject[] }[] {
  const inPart = { content_index: 0 };
  const summary = { type: "summary_text", text: answer.thinking.join("") };
  const part = {
    ...{ type: "output_text", text: answer.text.join(""), annotations: [] },
    logprobs: tokens(answer.text, answer.logprob),
  };
  const head = { status: "completed" };
  return [
    ...(answer.thinking.length > 0
      ? [
          {
            item: { type: "reasoning", summary: [summary], encrypted_content: "blob" },
            deltas: answer.thinking.map((delta) => ({
              ...{ type: "response.reasoning_summary_text.delta", summary_index: 0, delta },
            })),
          },
        ]
      : []),
    ...(answer.text.length > 0
      ? [
          {
            item: { type: "message", role: "assistant", ...head, content: [part] },
            deltas: answer.text.map((delta) => ({
              ...{ type: "response.output_text.delta", ...inPart, delta },
              logprobs: tokens([delta], answer.logprob),
            })),
          },
        ]
      : []),
    ...answer.calls.map(({ name, pieces }, index) => ({
      item: {
        ...{ type: "function_call", ...head, call_id: `call_${index}`, name, arguments: givenIn(pieces) },
      },
      deltas: pieces.map((delta) => ({ type: "response.function_call_arguments.delta", delta })),
    })),
  ];
}

const responses: DialectUpstream = {
  whole: (answer) => ({
    ...{ id: "resp_up", object: "response", status: answer.isCut ? "incomplete" : "completed" },
    ...(answer.isCut && { incomplete_details: { reason: "max_output_tokens" } }),
    output: responsesItems(answer).map(({ item }, place) => ({ id: `item_${place}`, ...item })),
    usage: {
      output_tokens_details: { reasoning_tokens: answer.usage.reasoning },
      input_tokens: answer.usage.input,
      input_tokens_details: { cached_tokens: answer.usage.cached },
      output_tokens: answer.usage.output,
      total_tokens: answer.usage.input + answer.usage.output,
    },
  }),
  stream: (answer) => {
    const whole = responses.whole(answer);
    const begun = { ...whole, status: "in_progress", output: [], usage: null };
    return [
      { type: "response.created", response: begun },
      ...responsesItems(answer).flatMap(({ item, deltas }, output_index) => {
        const id = `item_${output_index}`;
        const { encrypted_content: _sealed, ...head } = item;
        const blank = { ...head, id, content: [], summary: [], arguments: "" };
        return [
          { type: "response.output_item.added", output_index, item: blank },
          ...deltas.map((delta) => ({ ...delta, output_index, item_id: id })),
          { type: "response.output_item.done", output_index, item: { id, ...item } },
        ];
      }),
      { type: `response.${whole.status}`, response: whole },
    ];
  },
};

function geminiParts({ thinking, text, calls }: ModelAnswer): { part: JsonObject; pieces: string[] }[] {
  return [
    ...thinking.map((piece) => ({ part: { text: piece, thought: true }, pieces: [] })),
    ...text.map((piece) => ({ part: { text: piece }, pieces: [piece] })),
    ...calls.map(({ name, pieces }) => ({
      part: { functionCall: { name, args: JSON.parse(givenIn(pieces)) } },
      pieces: [],
    })),
  ];
}

function geminiTokens({ logprob }: ModelAnswer, pieces: string[]): JsonObject {
  if (logprob === undefined || pieces.length === 0) {
    return {};
  }
  const candidateOf = (token: string, logProbability: number) => ({ token, tokenId: 1, logProbability });
  return {
    logprobsResult: {
      chosenCandidates: pieces.map((token) => candidateOf(token, logprob)),
      topCandidates: pieces.map(() => ({ candidates: [candidateOf("other", logprob - 1)] })),
    },
  };
}

const geminiEnd = (answer: ModelAnswer) => ({ finishReason: answer.isCut ? "MAX_TOKENS" : "STOP" });
const geminiUsage = ({ usage }: ModelAnswer) => ({
  ...{ promptTokenCount: usage.input, cachedContentTokenCount: usage.cached },
  ...{ candidatesTokenCount: usage.output - usage.reasoning, thoughtsTokenCount: usage.reasoning },
  totalTokenCount: usage.input + usage.output,
});

const gemini: DialectUpstream = {
  whole: (answer) => {
    const parts = geminiParts(answer).map(({ part }) => part);
    const candidate = { content: { role: "model", parts }, index: 0, ...geminiEnd(answer) };
    return {
      ...{ responseId: "up", usageMetadata: geminiUsage(answer) },
      candidates: [{ ...candidate, ...geminiTokens(answer, answer.text) }],
    };
  },
  stream: (answer) => [
    ...geminiParts(answer).map(({ part, pieces }) => ({
      responseId: "up",
      candidates: [{ content: { role: "model", parts: [part] }, index: 0, ...geminiTokens(answer, pieces) }],
    })),
    {
      ...{ responseId: "up", usageMetadata: geminiUsage(answer) },
      candidates: [{ content: { role: "model", parts: [{ text: "" }] }, index: 0, ...geminiEnd(answer) }],
    },
  ],
};

export const upstreams: Record<Dialect, DialectUpstream> = { chat, messages, responses, gemini };
