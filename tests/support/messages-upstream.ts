import { findMessagesFault, type MessageBlock, MessagesRequest, sign } from "./messages-rules";
import { mintId, pieces, type ScriptedTurn, type ToolUse } from "./scripted-turn";
import { sendJson, type UpstreamHandler } from "./upstream";

/** A vendor of the messages dialect. It answers a conversation that contains n answers with turn n. */
export type MessagesVendor = {
  turns: ScriptedTurn[];
  /** The counts of a prompt, for a vendor that caches prompts. */
  countPrompt?: (body: Record<string, unknown>) => Record<string, number>;
};

/** The identifiers of the first turn's calls. */
export const messagesCallIds = ["toolu_01A09q90qw90lq917835lq9", "toolu_01D7FLrfh4GYq7yT1ULFeyMV"];

/** The usage of each turn, in the messages dialect's terms, equal to `chatUsage`. */
const messagesUsage = (turn: number) => ({
  ...{ input_tokens: 90 + 40 * turn, cache_creation_input_tokens: 0, cache_read_input_tokens: 30 },
  output_tokens: 41 - turn,
});

const blocksOf = (body: unknown): MessageBlock[] =>
  MessagesRequest.parse(body).messages.flatMap((message): MessageBlock[] => message.content);
const partsOf = (block: MessageBlock) => (block.type === "tool_result" ? (block.content ?? []) : [block]);

/** The tool calls of a valid request, with their results. */
export function readMessagesToolUses(body: unknown): ToolUse[] {
  const blocks = blocksOf(body);
  const outputs = new Map(
    blocks.flatMap((block) =>
      block.type === "tool_result"
        ? [
            [
              block.tool_use_id,
              partsOf(block)
                .map((part) => (part.type === "text" ? part.text : ""))
                .join(""),
            ],
          ]
        : [],
    ),
  );
  return blocks.flatMap((block) =>
    block.type === "tool_use"
      ? [{ id: block.id, name: block.name, input: block.input, output: outputs.get(block.id) ?? "" }]
      : [],
  );
}

/** The turn as whole blocks, each with the deltas that add up to it. */
function sayInMessages({ thinking, text, calls }: ScriptedTurn, tools: string[], turn: number) {
  const thought = thinking && {
    block: { type: "thinking", thinking, signature: sign(thinking) },
    start: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      ...pieces(thinking).map((piece) => ({ type: "thinking_delta", thinking: piece })),
      { type: "signature_delta", signature: sign(thinking) },
    ],
  };
  const textPart = text && {
    block: { type: "text", text },
    start: { type: "text", text: "" },
    deltas: pieces(text).map((piece) => ({ type: "text_delta", text: piece })),
  };
  const called = (calls ?? []).map(({ tool, arguments: input }, index) => {
    const block = {
      type: "tool_use",
      id: (turn === 0 && messagesCallIds[index]) || mintId("toolu_01"),
      name: tools[tool] ?? "",
      input,
    };
    const json = ["", ...pieces(JSON.stringify(input))];
    return {
      block,
      start: { ...block, input: {} },
      deltas: json.map((piece) => ({ type: "input_json_delta", partial_json: piece })),
    };
  });
  return [...(thought ? [thought] : []), ...(textPart ? [textPart] : []), ...called];
}

/** Answers the vendor's turns, and refuses with 400 all that Anthropic would refuse. */
export function speakMessages({ turns, countPrompt }: MessagesVendor): UpstreamHandler {
  return (call, response) => {
    const fault = findMessagesFault(call);
    if (fault !== null) {
      sendJson(response, 400, { type: "error", error: { type: "invalid_request_error", message: fault } });
      return;
    }
    if (call.path.includes("/count_tokens")) {
      sendJson(response, 200, { input_tokens: 321 });
      return;
    }
    const request = MessagesRequest.parse(call.body);
    const turn = request.messages.filter(({ role }) => role === "assistant").length;
    const names = request.tools?.map(({ name }) => name) ?? [];
    const parts = sayInMessages(turns[turn] ?? {}, names, turn);
    const usage = { ...messagesUsage(turn), ...countPrompt?.(call.body) };
    const ending = { stop_reason: turns[turn]?.calls ? "tool_use" : "end_turn", stop_sequence: null };
    const head = { id: `msg_0${turn}`, type: "message", role: "assistant", model: request.model };
    if (!request.stream) {
      sendJson(response, 200, { ...head, content: parts.map(({ block }) => block), ...ending, usage });
      return;
    }
    const write = (type: string, rest: object) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const empty = { content: [], stop_reason: null, stop_sequence: null };
    write("message_start", { message: { ...head, ...empty, usage: { ...usage, output_tokens: 1 } } });
    write("ping", {});
    for (const [index, { start, deltas }] of parts.entries()) {
      write("content_block_start", { index, content_block: start });
      for (const delta of deltas) {
        write("content_block_delta", { index, delta });
      }
      write("content_block_stop", { index });
    }
    write("message_delta", { delta: ending, usage: { output_tokens: usage.output_tokens } });
    write("message_stop", {});
    response.end();
  };
}
