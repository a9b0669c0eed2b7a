import { ChatRequest, type ChatVendor, findChatFault } from "./chat-rules";
import { pieces, type ScriptedTurn, type ToolUse } from "./scripted-turn";
import { sendJson, sseChunk, type UpstreamHandler } from "./upstream";

/** The identifiers of the first turn's calls. The first has Kimi's form, which the messages dialect does not allow. */
export const chatCallIds = ["functions.look:0", "call_Zk3vQ0yTqkW7iR5xD1uBnC2a"];

/** The usage of each turn, in the chat dialect's terms. */
const chatUsage = (turn: number) => ({
  ...{ prompt_tokens: 120 + 40 * turn, completion_tokens: 41 - turn, total_tokens: 161 + 39 * turn },
  prompt_tokens_details: { cached_tokens: 30 },
  completion_tokens_details: { reasoning_tokens: 12 },
});

/** The tool calls of a valid request, with their results. */
export function readChatToolUses(body: unknown): ToolUse[] {
  const { messages } = ChatRequest.parse(body);
  const outputs = new Map(
    messages.flatMap((message) =>
      message.role === "tool"
        ? [[message.tool_call_id, message.content.map(({ text }) => text).join("")]]
        : [],
    ),
  );
  return messages
    .flatMap((message) => (message.role === "assistant" ? (message.tool_calls ?? []) : []))
    .map((call) => ({
      ...{ id: call.id, name: call.function.name, input: JSON.parse(call.function.arguments) },
      output: outputs.get(call.id) ?? "",
    }));
}

/** The turn as a whole message, and as the deltas that add up to it: parallel calls are interleaved. */
function sayInChat({ thinking, text, calls }: ScriptedTurn, tools: string[], turn: number) {
  const toolCalls = calls?.map(({ tool, arguments: input }, index) => ({
    id: (turn === 0 && chatCallIds[index]) || `call_${turn}_${index}`,
    type: "function",
    function: { name: tools[tool] ?? "", arguments: JSON.stringify(input) },
  }));
  const message = {
    ...{ role: "assistant", content: text ?? null, refusal: null },
    ...(thinking && { reasoning_content: thinking }),
    ...(toolCalls && { tool_calls: toolCalls }),
  };
  const begun = (toolCalls ?? []).map((call, index) => ({
    tool_calls: [{ index, ...call, function: { ...call.function, arguments: "" } }],
  }));
  const fragments = (toolCalls ?? []).flatMap((call, index) =>
    pieces(call.function.arguments).map((piece, at) => ({ index, at, piece })),
  );
  const deltas = [
    { role: "assistant", content: "", refusal: null },
    ...pieces(thinking ?? "").map((piece) => ({ reasoning_content: piece })),
    ...pieces(text ?? "").map((piece) => ({ content: piece })),
    ...begun,
    ...fragments
      .sort((a, b) => a.at - b.at)
      .map(({ index, piece }) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
  return { message, deltas, finish: calls ? "tool_calls" : "stop" };
}

/** Answers the vendor's turns, and refuses with 400 all that OpenAI would refuse. */
export function speakChat(vendor: ChatVendor): UpstreamHandler {
  return (call, response) => {
    const fault = findChatFault(call, vendor);
    if (fault !== null) {
      sendJson(response, 400, {
        error: { message: fault, type: "invalid_request_error", param: null, code: null },
      });
      return;
    }
    const request = ChatRequest.parse(call.body);
    const turn = request.messages.filter(({ role }) => role === "assistant").length;
    const tools = request.tools?.map((tool) => tool.function.name) ?? [];
    const { message, deltas, finish } = sayInChat(vendor.turns[turn] ?? {}, tools, turn);
    const head = {
      ...{ id: `chatcmpl-${turn}`, created: 1_700_000_000, model: request.model },
      system_fingerprint: "fp_1",
    };
    if (!request.stream) {
      const choices = [{ index: 0, message, finish_reason: finish, logprobs: null }];
      sendJson(response, 200, { ...head, object: "chat.completion", choices, usage: chatUsage(turn) });
      return;
    }
    const isCounted = request.stream_options?.include_usage === true;
    const write = (rest: object) =>
      response.write(
        sseChunk({ ...head, object: "chat.completion.chunk", ...(isCounted && { usage: null }), ...rest }),
      );
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const delta of deltas) {
      write({ choices: [{ index: 0, delta, finish_reason: null }] });
    }
    write({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
    if (isCounted) {
      write({ choices: [], usage: chatUsage(turn) });
    }
    response.end("data: [DONE]\n\n");
  };
}
