import { findResponsesFault, itemsOf, ResponsesRequest, seal } from "./responses-rules";
import { mintId, pieces, type ScriptedTurn } from "./scripted-turn";
import { sendJson, type UpstreamHandler } from "./upstream";

type OutputItem = Record<string, unknown> & { id: string };

const usage = {
  input_tokens_details: { cached_tokens: 30, cache_write_tokens: 0 },
  ...{ input_tokens: 120, output_tokens: 41, output_tokens_details: { reasoning_tokens: 12 } },
  total_tokens: 161,
};

/** A turn as items, with as much thinking as was requested. */
function sayInItems(
  { thinking, text, calls }: ScriptedTurn,
  request: ResponsesRequest,
  turn: number,
): OutputItem[] {
  const isSealed = request.include?.includes("reasoning.encrypted_content");
  const summary = request.reasoning?.summary && thinking ? [{ type: "summary_text", text: thinking }] : [];
  const names = (request.tools ?? []).map((tool) => ("name" in tool ? String(tool.name) : ""));
  const thought = {
    id: `rs_${turn}`,
    type: "reasoning",
    summary,
    ...(isSealed && thinking && { encrypted_content: seal(thinking) }),
  };
  const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
  return [
    ...(thinking ? [thought] : []),
    ...(text
      ? [{ id: `msg_${turn}`, type: "message", role: "assistant", status: "completed", content }]
      : []),
    ...(calls ?? []).map(({ tool, arguments: input }, index) => ({
      ...{ id: `fc_${turn}_${index}`, type: "function_call", status: "completed" },
      ...{ call_id: mintId("call_"), name: names[tool], arguments: JSON.stringify(input) },
    })),
  ];
}

type Event = [type: string, rest: object];

/** The events between an item's first event and its last. */
function growth(item: OutputItem, output_index: number): Event[] {
  const place = { output_index, item_id: item.id };
  if (item.type === "reasoning") {
    const [part] = item.summary as { text: string }[];
    const at = { ...place, summary_index: 0 };
    return part
      ? [
          ["response.reasoning_summary_part.added", { ...at, part: { ...part, text: "" } }],
          ...pieces(part.text).map(
            (delta): Event => ["response.reasoning_summary_text.delta", { ...at, delta }],
          ),
          ["response.reasoning_summary_text.done", { ...at, text: part.text }],
          ["response.reasoning_summary_part.done", { ...at, part }],
        ]
      : [];
  }
  if (item.type === "function_call") {
    const written = String(item.arguments);
    return [
      ...pieces(written).map(
        (delta): Event => ["response.function_call_arguments.delta", { ...place, delta }],
      ),
      ["response.function_call_arguments.done", { ...place, arguments: written }],
    ];
  }
  const [part] = item.content as { text: string }[];
  const at = { ...place, content_index: 0 };
  return [
    ["response.content_part.added", { ...at, part: { ...part, text: "" } }],
    ...pieces(part?.text ?? "").map(
      (delta): Event => ["response.output_text.delta", { ...at, delta, logprobs: [] }],
    ),
    ["response.output_text.done", { ...at, text: part?.text, logprobs: [] }],
    ["response.content_part.done", { ...at, part }],
  ];
}

const emptied: Record<string, object> = {
  reasoning: { summary: [] },
  message: { content: [], status: "in_progress" },
  function_call: { arguments: "", status: "in_progress" },
};

const eventsOf = (output: OutputItem[], response: object): Event[] => [
  ["response.created", { response: { ...response, status: "in_progress", output: [] } }],
  ["response.in_progress", { response: { ...response, status: "in_progress", output: [] } }],
  ...output.flatMap((item, output_index): Event[] => [
    ["response.output_item.added", { output_index, item: { ...item, ...emptied[String(item.type)] } }],
    ...growth(item, output_index),
    ["response.output_item.done", { output_index, item }],
  ]),
  ["response.completed", { response: { ...response, status: "completed", output, usage } }],
];

/**
 * Answers the vendor's turns, and refuses with 400 all that OpenAI would refuse. It answers a conversation that
 * contains n rounds of outputs with turn n.
 */
export function speakResponses({ turns }: { turns: ScriptedTurn[] }): UpstreamHandler {
  return (call, response) => {
    const fault = findResponsesFault(
      call,
      turns.map(({ thinking = "" }) => thinking),
    );
    if (fault !== null) {
      const error = { message: fault, type: "invalid_request_error", param: null, code: null };
      sendJson(response, 400, { error });
      return;
    }
    const request = ResponsesRequest.parse(call.body);
    const items = itemsOf(request);
    const isOutput = (at: number) => items[at]?.type.endsWith("_output") ?? false;
    const turn = items.filter((_item, at) => isOutput(at) && !isOutput(at - 1)).length;
    const output = sayInItems(turns[turn] ?? {}, request, turn);
    const head = {
      id: `resp_${turn}`,
      ...{ object: "response", created_at: 1_700_000_000, model: request.model, error: null },
      ...{ incomplete_details: null, store: false },
    };
    if (!request.stream) {
      sendJson(response, 200, { ...head, status: "completed", output, usage });
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const [sequence_number, [type, rest]] of eventsOf(output, head).entries()) {
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...rest })}\n\n`);
    }
    response.end();
  };
}
