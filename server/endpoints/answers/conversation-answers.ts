/** Complete answers of conversations in every dialect. Objects may have more members than are listed. */
import {
  anything,
  constant,
  integer,
  kindsOf,
  listOf,
  number,
  object,
  oneOf,
  orNull,
  text,
  truth,
} from "../schema";

const cost = number;
/** A part of a count, which vendors may leave out or send as null. */
const part = orNull(integer);

export const ChatUsage = object(
  {
    prompt_tokens: integer,
    completion_tokens: integer,
    total_tokens: integer,
    prompt_tokens_details: orNull(object({ cached_tokens: part, cache_write_tokens: part }, ["*"])),
    completion_tokens_details: orNull(object({ reasoning_tokens: part }, ["*"])),
    cost,
  },
  ["prompt_tokens_details", "completion_tokens_details", "cost"],
);

const called = object({ name: text, arguments: text });

const toolCall = kindsOf({
  function: object({ id: text, function: called }),
  custom: object({ id: text, custom: object({ name: text, input: text }) }),
});

const annotations = orNull(
  listOf(
    kindsOf({
      url_citation: object({
        url_citation: object({ url: text, title: text, start_index: integer, end_index: integer }, ["*"]),
      }),
    }),
  ),
);

/** If bytes alone are no text, vendors name no token. */
export const tokenLogprobs = listOf(object({ token: orNull(text), logprob: number }, ["token"]));
export const logprobs = orNull(object({ content: orNull(tokenLogprobs) }, ["content"]));

/** `error`: one of several answers failed while others did not. */
export const finishReasons = [
  ...["stop", "length", "tool_calls", "content_filter", "function_call", "error"],
] as const;
export const textEnds = ["stop", "length", "content_filter", "error"] as const;
export const failedChoice = object({ code: integer, message: text });

export const ChatCompletion = object({
  id: text,
  object: constant("chat.completion"),
  created: integer,
  model: text,
  choices: listOf(
    object(
      {
        index: integer,
        message: object(
          {
            role: constant("assistant"),
            content: orNull(text),
            refusal: orNull(text),
            reasoning_content: orNull(text),
            annotations,
            tool_calls: orNull(listOf(toolCall)),
            function_call: orNull(called),
          },
          ["refusal", "reasoning_content", "annotations", "tool_calls", "function_call"],
        ),
        logprobs,
        finish_reason: oneOf(...finishReasons),
        error: failedChoice,
      },
      ["logprobs", "error"],
    ),
  ),
  usage: ChatUsage,
});

export const TextCompletion = object({
  id: text,
  object: constant("text_completion"),
  created: integer,
  model: text,
  choices: listOf(
    object({ index: integer, text, finish_reason: oneOf(...textEnds), error: failedChoice }, ["error"]),
  ),
  usage: ChatUsage,
});

export const contentBlock = kindsOf({
  text: object({ text, citations: orNull(listOf(object({ type: text }))) }, ["citations"]),
  thinking: object({ thinking: text, signature: text }),
  redacted_thinking: object({ data: text }),
  tool_use: object({ id: text, name: text, input: { type: "object" } }),
});

export const MessageUsage = object(
  {
    input_tokens: integer,
    output_tokens: integer,
    cache_creation_input_tokens: integer,
    cache_read_input_tokens: integer,
    output_tokens_details: orNull(object({ thinking_tokens: part }, ["*"])),
    cost,
  },
  ["output_tokens_details", "cost"],
);

export const Message = object({
  id: text,
  type: constant("message"),
  role: constant("assistant"),
  model: text,
  content: listOf(contentBlock),
  stop_reason: text,
  stop_sequence: orNull(text),
  usage: MessageUsage,
});

const itemMembers = { id: text, status: text };

/** Vendors leave out a text's lists if they would be empty. */
const outputText = object(
  { text, annotations: orNull(listOf(object({ type: text }))), logprobs: orNull(tokenLogprobs) },
  ["annotations", "logprobs"],
);
export const messagePart = kindsOf({ output_text: outputText, refusal: object({ refusal: text }) });

export const outputItem = kindsOf({
  message: object({ ...itemMembers, role: constant("assistant"), content: listOf(messagePart) }),
  reasoning: object(
    {
      id: text,
      summary: listOf(object({ type: text, text })),
      content: orNull(listOf(object({ type: text, text }))),
      encrypted_content: orNull(text),
    },
    ["content", "encrypted_content"],
  ),
  function_call: object({ ...itemMembers, call_id: text, name: text, arguments: text }),
  custom_tool_call: object({ id: text, call_id: text, name: text, input: text }),
});

const ResponseUsage = object(
  {
    input_tokens: integer,
    input_tokens_details: object({ cached_tokens: integer }),
    output_tokens: integer,
    output_tokens_details: object({ reasoning_tokens: integer }),
    total_tokens: integer,
    cost,
  },
  ["cost"],
);

const states = ["completed", "incomplete", "in_progress", "queued", "failed", "cancelled"] as const;

export const Response = object(
  {
    id: text,
    object: constant("response"),
    created_at: number,
    status: oneOf(...states),
    model: text,
    output: listOf(outputItem),
    previous_response_id: orNull(text),
    conversation: orNull(object({ id: text })),
    store: truth,
    background: orNull(truth),
    error: orNull(object({ code: text, message: text })),
    incomplete_details: orNull(object({ reason: text })),
    instructions: anything,
    metadata: orNull({ type: "object" }),
    parallel_tool_calls: truth,
    temperature: orNull(number),
    top_p: orNull(number),
    text: anything,
    tool_choice: anything,
    tools: listOf(object({ type: text })),
    usage: orNull(ResponseUsage),
  },
  ["conversation"],
);

const count = integer;

const GeminiUsage = object(
  {
    promptTokenCount: count,
    candidatesTokenCount: count,
    thoughtsTokenCount: count,
    cachedContentTokenCount: count,
    totalTokenCount: count,
  },
  ["*"],
);

const geminiPart = object(
  {
    text,
    thought: truth,
    thoughtSignature: text,
    functionCall: object({ id: text, name: text, args: { type: "object" } }, ["*"]),
  },
  ["*"],
);

export const GeminiAnswer = object(
  {
    candidates: listOf(
      object(
        {
          content: object({ parts: listOf(geminiPart), role: text }, ["*"]),
          finishReason: text,
          index: integer,
          groundingMetadata: { type: "object" },
        },
        ["*"],
      ),
    ),
    promptFeedback: { type: "object" },
    usageMetadata: GeminiUsage,
    modelVersion: text,
    responseId: text,
  },
  ["candidates", "promptFeedback", "usageMetadata"],
);
