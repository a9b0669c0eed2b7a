/** Upstreams of every dialect with the same answer, whole and as the data of a stream's events. */
import type { Dialect } from "@/server/protocol/capabilities";
import type { JsonObject } from "@/server/protocol/fields";
import type { ModelAnswer } from "./said";

type DialectUpstream = {
  whole: (said: ModelAnswer) => JsonObject;
  stream: (said: ModelAnswer) => JsonObject[];
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

const chatTokens = (said: ModelAnswer, pieces: string[]) =>
  said.logprob === undefined ? null : { content: tokens(pieces, said.logprob), refusal: null };

const chat: DialectUpstream = {
  whole: (said) => {
    const calls = said.calls.map(({ name, pieces }, index) => ({
      ...{ id: `call_${index}`, type: "function", function: { name, arguments: givenIn(pieces) } },
    }));
    const message = {
      role: "assistant",
      content: said.text.join(""),
      reasoning_content: said.thinking.join(""),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    const choice = {
      ...{ index: 0, message, finish_reason: chatFinish(said) },
      logprobs: chatTokens(said, said.text),
    };
    return { id: "up", object: "chat.completion", choices: [choice], usage: chatUsage(said) };
  },
  stream: (said) => {
    const chunk = (delta: JsonObject, rest: JsonObject = {}) => ({
      ...{ id: "up", object: "chat.completion.chunk" },
      choices: [{ index: 0, delta, finish_reason: null, ...rest }],
    });
    return [
      chunk({ role: "assistant", content: "" }),
      ...said.thinking.map((piece) => chunk({ reasoning_content: piece })),
      ...said.text.map((piece) => chunk({ content: piece }, { logprobs: chatTokens(said, [piece]) })),
      ...said.calls.flatMap(({ name, pieces }, index) => [
        chunk({ tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name } }] }),
        ...pieces.map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
      chunk({}, { finish_reason: chatFinish(said) }),
      { id: "up", object: "chat.completion.chunk", choices: [], usage: chatUsage(said) },
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
  whole: (said) => ({
    ...{ id: "msg_up", type: "message", role: "assistant", stop_reason: messagesStop(said) },
    content: [
      ...(said.thinking.length > 0
        ? [{ type: "thinking", thinking: said.thinking.join(""), signature: "sig" }]
        : []),
      ...(said.text.length > 0 ? [{ type: "text", text: said.text.join("") }] : []),
      ...said.calls.map(({ name, pieces }, index) => ({
        ...{ type: "tool_use", id: `toolu_${index}`, name, input: JSON.parse(givenIn(pieces)) },
      })),
    ],
    usage: messagesUsage(said),
  }),
  stream: (said) => {
    let index = 0;
    const block = (content_block: JsonObject, deltas: JsonObject[]) => {
      const place = { index: index++ };
      return [
        { type: "content_block_start", ...place, content_block },
        ...deltas.map((delta) => ({ type: "content_block_delta", ...place, delta })),
        { type: "content_block_stop", ...place },
      ];
    };
    const thoughts = said.thinking.map((thinking) => ({ type: "thinking_delta", thinking }));
    const sealed = [...thoughts, { type: "signature_delta", signature: "sig" }];
    const texts = said.text.map((text) => ({ type: "text_delta", text }));
    const { usage } = messages.whole(said);
    return [
      { type: "message_start", message: { id: "msg_up", role: "assistant", content: [], usage } },
      ...(thoughts.length > 0 ? block({ type: "thinking", thinking: "", signature: "" }, sealed) : []),
      ...(texts.length > 0 ? block({ type: "text", text: "" }, texts) : []),
      ...said.calls.flatMap(({ name, pieces }, place) =>
        block(
          { type: "tool_use", id: `toolu_${place}`, name, input: {} },
          pieces.map((partial_json) => ({ type: "input_json_delta", partial_json })),
        ),
      ),
      { type: "message_delta", delta: { stop_reason: messagesStop(said) }, usage: messagesUsage(said) },
      { type: "message_stop" },
    ];
  },
};

function responsesItems(said: ModelAnswer): { item: JsonObject; deltas: JsonObject[] }[] {
  const inPart = { content_index: 0 };
  const summary = { type: "summary_text", text: said.thinking.join("") };
  const part = {
    ...{ type: "output_text", text: said.text.join(""), annotations: [] },
    logprobs: tokens(said.text, said.logprob),
  };
  const head = { status: "completed" };
  return [
    ...(said.thinking.length > 0
      ? [
          {
            item: { type: "reasoning", summary: [summary], encrypted_content: "blob" },
            deltas: said.thinking.map((delta) => ({
              ...{ type: "response.reasoning_summary_text.delta", summary_index: 0, delta },
            })),
          },
        ]
      : []),
    ...(said.text.length > 0
      ? [
          {
            item: { type: "message", role: "assistant", ...head, content: [part] },
            deltas: said.text.map((delta) => ({
              ...{ type: "response.output_text.delta", ...inPart, delta },
              logprobs: tokens([delta], said.logprob),
            })),
          },
        ]
      : []),
    ...said.calls.map(({ name, pieces }, index) => ({
      item: {
        ...{ type: "function_call", ...head, call_id: `call_${index}`, name, arguments: givenIn(pieces) },
      },
      deltas: pieces.map((delta) => ({ type: "response.function_call_arguments.delta", delta })),
    })),
  ];
}

const responses: DialectUpstream = {
  whole: (said) => ({
    ...{ id: "resp_up", object: "response", status: said.isCut ? "incomplete" : "completed" },
    ...(said.isCut && { incomplete_details: { reason: "max_output_tokens" } }),
    output: responsesItems(said).map(({ item }, place) => ({ id: `item_${place}`, ...item })),
    usage: {
      output_tokens_details: { reasoning_tokens: said.usage.reasoning },
      input_tokens: said.usage.input,
      input_tokens_details: { cached_tokens: said.usage.cached },
      output_tokens: said.usage.output,
      total_tokens: said.usage.input + said.usage.output,
    },
  }),
  stream: (said) => {
    const whole = responses.whole(said);
    const begun = { ...whole, status: "in_progress", output: [], usage: null };
    return [
      { type: "response.created", response: begun },
      ...responsesItems(said).flatMap(({ item, deltas }, output_index) => {
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
  const one = (token: string, logProbability: number) => ({ token, tokenId: 1, logProbability });
  return {
    logprobsResult: {
      chosenCandidates: pieces.map((token) => one(token, logprob)),
      topCandidates: pieces.map(() => ({ candidates: [one("other", logprob - 1)] })),
    },
  };
}

const geminiEnd = (said: ModelAnswer) => ({ finishReason: said.isCut ? "MAX_TOKENS" : "STOP" });
const geminiUsage = ({ usage }: ModelAnswer) => ({
  ...{ promptTokenCount: usage.input, cachedContentTokenCount: usage.cached },
  ...{ candidatesTokenCount: usage.output - usage.reasoning, thoughtsTokenCount: usage.reasoning },
  totalTokenCount: usage.input + usage.output,
});

const gemini: DialectUpstream = {
  whole: (said) => {
    const parts = geminiParts(said).map(({ part }) => part);
    const candidate = { content: { role: "model", parts }, index: 0, ...geminiEnd(said) };
    return {
      ...{ responseId: "up", usageMetadata: geminiUsage(said) },
      candidates: [{ ...candidate, ...geminiTokens(said, said.text) }],
    };
  },
  stream: (said) => [
    ...geminiParts(said).map(({ part, pieces }) => ({
      responseId: "up",
      candidates: [{ content: { role: "model", parts: [part] }, index: 0, ...geminiTokens(said, pieces) }],
    })),
    {
      ...{ responseId: "up", usageMetadata: geminiUsage(said) },
      candidates: [{ content: { role: "model", parts: [{ text: "" }] }, index: 0, ...geminiEnd(said) }],
    },
  ],
};

export const upstreams: Record<Dialect, DialectUpstream> = { chat, messages, responses, gemini };
