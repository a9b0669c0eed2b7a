import { type Answer, sendJson, sseChunk } from "@/tests/support/upstream";

export const vendorDialects = ["openai", "anthropic", "openai-responses"] as const;
export type VendorDialect = (typeof vendorDialects)[number];

/** What the program's own tool is told to run, and what only a tool that ran can know. */
const COMMAND = "echo $((41 * 1000003))";
export const PRODUCT = "41000123";
const SAID = `The tool said ${PRODUCT}.`;

type Schema = { type?: string; properties?: Record<string, Schema>; required?: string[] };
type Tool = { name: string; schema: Schema };
type Listed = {
  name?: string;
  parameters?: Schema;
  input_schema?: Schema;
  function?: { name: string; parameters?: Schema };
};

/** A shell of an agent, or the function `look` that a library's script registers. */
const KNOWN = /(exec_command|shell|shell_command|bash|look)$/i;

const readTools = (listed: unknown): Tool[] =>
  ((listed ?? []) as Listed[]).map((tool) => ({
    name: tool.function?.name ?? tool.name ?? "",
    schema: tool.function?.parameters ?? tool.parameters ?? tool.input_schema ?? {},
  }));

function valueFor(name: string, { type }: Schema): unknown {
  if (/^(cmd|command)$/.test(name)) {
    return type === "array" ? ["bash", "-lc", COMMAND] : COMMAND;
  }
  const others: Record<string, unknown> = { number: 5_000, integer: 5_000, boolean: false, array: [] };
  return others[type ?? ""] ?? "a product";
}

const inputOf = ({ properties = {}, required = [] }: Schema) =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name) || /^(cmd|command)$/.test(name))
      .map(([name, schema]) => [name, valueFor(name, schema)]),
  );

type Call = { name: string; input: string };
const head = { created: 1_700_000_000, id: "chatcmpl-1" };

function streamChat(model: unknown, call: Call | null): string {
  const chunk = (rest: object) => sseChunk({ ...head, object: "chat.completion.chunk", model, ...rest });
  const delta = (part: object, finish_reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta: part, finish_reason }] });
  const fn = (more: object, rest: object = {}) =>
    delta({ tool_calls: [{ index: 0, ...rest, function: more }] });
  const said = call
    ? fn({ name: call.name, arguments: "" }, { id: "call_1", type: "function" }) +
      fn({ arguments: call.input })
    : delta({ role: "assistant", content: SAID });
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  return `${said}${delta({}, call ? "tool_calls" : "stop")}${chunk({ choices: [], usage })}data: [DONE]\n\n`;
}

function streamMessages(model: unknown, call: Call | null): string {
  const event = (type: string, rest: object) => `event: ${type}\n${sseChunk({ type, ...rest })}`;
  const usage = { input_tokens: 10, output_tokens: 5 };
  const message = { id: "msg_1", type: "message", role: "assistant", model, content: [], usage };
  const content_block = call
    ? { type: "tool_use", id: "toolu_1", name: call.name, input: {} }
    : { type: "text", text: "" };
  const delta = call
    ? { type: "input_json_delta", partial_json: call.input }
    : { type: "text_delta", text: SAID };
  return [
    event("message_start", { message: { ...message, stop_reason: null, stop_sequence: null } }),
    event("content_block_start", { index: 0, content_block }),
    event("content_block_delta", { index: 0, delta }),
    event("content_block_stop", { index: 0 }),
    event("message_delta", {
      delta: { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null },
      usage: { output_tokens: 5 },
    }),
    event("message_stop", {}),
  ].join("");
}

function streamResponse(model: unknown, call: Call | null): string {
  let sequence_number = 0;
  const event = (type: string, rest: object) =>
    `event: ${type}\n${sseChunk({ type, sequence_number: sequence_number++, ...rest })}`;
  const part = { type: "output_text", text: SAID, annotations: [], logprobs: [] };
  const item = call
    ? { id: "fc_1", type: "function_call", call_id: "call_1", name: call.name, arguments: call.input }
    : { id: "msg_1", type: "message", role: "assistant", content: [part] };
  const empty = call ? { arguments: "" } : { content: [] };
  const response = { id: "resp_1", object: "response", created_at: head.created, model, error: null };
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  };
  const place = { output_index: 0, item_id: item.id };
  const text = { ...place, content_index: 0 };
  const done = { ...item, status: "completed" };
  const said = call
    ? [
        event("response.function_call_arguments.delta", { ...place, delta: call.input }),
        event("response.function_call_arguments.done", { ...place, arguments: call.input }),
      ]
    : [
        event("response.content_part.added", { ...text, part: { ...part, text: "" } }),
        event("response.output_text.delta", { ...text, delta: SAID, logprobs: [] }),
        event("response.output_text.done", { ...text, text: SAID, logprobs: [] }),
        event("response.content_part.done", { ...text, part }),
      ];
  return [
    event("response.created", { response: { ...response, status: "in_progress", output: [] } }),
    event("response.output_item.added", {
      output_index: 0,
      item: { ...item, ...empty, status: "in_progress" },
    }),
    ...said,
    event("response.output_item.done", { output_index: 0, item: done }),
    event("response.completed", { response: { ...response, status: "completed", output: [done], usage } }),
  ].join("");
}

const streams = { openai: streamChat, anthropic: streamMessages, "openai-responses": streamResponse };

/** Calls the program's own tool, and ends when the tool's result has come back. Streams only. */
export const callTool =
  (dialect: VendorDialect): Answer =>
  ({ body, raw }, response) => {
    if (body.stream !== true) {
      sendJson(response, 400, { error: { message: "the tests of clients stream", type: "test" } });
      return;
    }
    const tool = readTools(body.tools).find(({ name }) => KNOWN.test(name));
    const isCalled = tool !== undefined && !raw.includes(PRODUCT);
    const call = isCalled ? { name: tool.name, input: JSON.stringify(inputOf(tool.schema)) } : null;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(streams[dialect](body.model, call));
  };
