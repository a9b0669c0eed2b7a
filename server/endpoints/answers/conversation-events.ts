/** Events of streamed conversations in every dialect: each is the `data` of one server-sent event. */

import {
  anything,
  constant,
  integer,
  kindsOf,
  listOf,
  type OpenApiSchema,
  object,
  oneOf,
  orNull,
  text,
} from "../schema";
import {
  ChatUsage,
  contentBlock,
  failedChoice,
  finishReasons,
  GeminiAnswer,
  logprobs,
  MessageUsage,
  messagePart,
  outputItem,
  Response,
  textEnds,
  tokenLogprobs,
} from "./conversation-answers";

/** The error that ends a stream: the envelope of every refusal, and `error` for SDKs, which look for that only. */
const broken = { code: integer, message: text, data: { type: "null" } };

const ChatFailure = object({
  error: object({ message: text, type: text, code: integer, param: { type: "null" } }),
  ...broken,
});

const fragment = object({ name: orNull(text), arguments: orNull(text) }, ["*"]);

const delta = object(
  {
    role: constant("assistant"),
    content: orNull(text),
    refusal: orNull(text),
    reasoning_content: orNull(text),
    annotations: orNull(listOf(object({ type: text }))),
    tool_calls: orNull(
      listOf(
        object(
          { index: integer, id: orNull(text), type: orNull(text), function: fragment, custom: anything },
          [...["id", "type", "function", "custom"]],
        ),
      ),
    ),
    function_call: orNull(fragment),
  },
  ["*"],
);

const chunk = (kind: string, choice: OpenApiSchema) =>
  object(
    {
      id: text,
      object: constant(kind),
      created: integer,
      model: text,
      choices: listOf(choice),
      usage: orNull(ChatUsage),
    },
    ["usage"],
  );

export const ChatChunk = {
  anyOf: [
    chunk(
      "chat.completion.chunk",
      object(
        {
          index: integer,
          delta,
          logprobs,
          finish_reason: orNull(oneOf(...finishReasons)),
          error: failedChoice,
        },
        ["logprobs", "error"],
      ),
    ),
    ChatFailure,
  ],
};

export const TextChunk = {
  anyOf: [
    chunk(
      "text_completion",
      object({ index: integer, text, finish_reason: orNull(oneOf(...textEnds)), error: failedChoice }, [
        "error",
      ]),
    ),
    ChatFailure,
  ],
};

const begunMessage = object({
  id: text,
  type: constant("message"),
  role: constant("assistant"),
  model: text,
  content: listOf(anything),
  stop_reason: orNull(text),
  stop_sequence: orNull(text),
  usage: MessageUsage,
});

export const MessageEvent = kindsOf({
  message_start: object({ message: begunMessage }),
  content_block_start: object({ index: integer, content_block: contentBlock }),
  content_block_delta: object({
    index: integer,
    delta: kindsOf({
      text_delta: object({ text }),
      thinking_delta: object({ thinking: text }),
      signature_delta: object({ signature: text }),
      input_json_delta: object({ partial_json: text }),
      citations_delta: object({ citation: object({ type: text }) }),
    }),
  }),
  content_block_stop: object({ index: integer }),
  message_delta: object({
    delta: object({ stop_reason: orNull(text), stop_sequence: orNull(text) }, ["stop_sequence"]),
    usage: object({ output_tokens: integer }),
  }),
  message_stop: object({}),
  error: object({ error: object({ type: text, message: text }), ...broken }),
});

const ofResponse = object({ response: Response });
const ofItem = { output_index: integer };
const ofPart = { ...ofItem, item_id: text, content_index: integer };
const ofSummary = { ...ofItem, item_id: text, summary_index: integer };
const ofCall = { ...ofItem, item_id: text };

export const ResponseEvent = {
  ...kindsOf({
    "response.created": ofResponse,
    "response.queued": ofResponse,
    "response.in_progress": ofResponse,
    "response.completed": ofResponse,
    "response.incomplete": ofResponse,
    "response.failed": ofResponse,
    "response.output_item.added": object({ ...ofItem, item: outputItem }),
    "response.output_item.done": object({ ...ofItem, item: outputItem }),
    "response.content_part.added": object({ ...ofPart, part: messagePart }),
    "response.content_part.done": object({ ...ofPart, part: messagePart }),
    "response.output_text.delta": object({ ...ofPart, delta: text, logprobs: orNull(tokenLogprobs) }, [
      "logprobs",
    ]),
    "response.output_text.done": object({ ...ofPart, text, logprobs: orNull(tokenLogprobs) }, ["logprobs"]),
    "response.output_text.annotation.added": object({
      ...{ ...ofPart, annotation_index: integer, annotation: object({ type: text }) },
    }),
    "response.refusal.delta": object({ ...ofPart, delta: text }),
    "response.refusal.done": object({ ...ofPart, refusal: text }),
    "response.reasoning_summary_part.added": object({ ...ofSummary, part: object({ type: text, text }) }),
    "response.reasoning_summary_part.done": object({ ...ofSummary, part: object({ type: text, text }) }),
    "response.reasoning_summary_text.delta": object({ ...ofSummary, delta: text }),
    "response.reasoning_summary_text.done": object({ ...ofSummary, text }),
    "response.function_call_arguments.delta": object({ ...ofCall, delta: text }),
    "response.function_call_arguments.done": object({ ...ofCall, arguments: text }),
    "response.custom_tool_call_input.delta": object({ ...ofCall, delta: text }),
    "response.custom_tool_call_input.done": object({ ...ofCall, input: text }),
    error: object({ code: orNull(text), message: text, param: orNull(text) }),
  }),
  properties: { type: text, sequence_number: integer },
  required: ["type", "sequence_number"],
};

const GeminiFailure = object({
  error: object({ code: integer, message: text, status: text, details: listOf(anything) }),
});

export const GeminiEvent = { anyOf: [GeminiAnswer, GeminiFailure] };
