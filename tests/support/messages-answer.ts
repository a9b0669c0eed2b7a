import type { UpstreamHandler } from "./upstream";
import { sendJson } from "./upstream";

export const messagesEvent = (event: { type: string } & Record<string, unknown>) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** The events of a text answer, in order. */
export function textEvents(text: string, usage: Record<string, unknown>, model = "upstream-model"): string[] {
  const { output_tokens: _, ...prompt } = usage;
  const message = { id: "msg_fake", type: "message", role: "assistant", model, content: [] };
  const start = {
    ...message,
    stop_reason: null,
    stop_sequence: null,
    usage: { ...prompt, output_tokens: 1 },
  };
  const delta = (part: string) => ({ type: "text_delta", text: part });
  return [
    messagesEvent({ type: "message_start", message: start }),
    messagesEvent({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    messagesEvent({ type: "ping" }),
    ...(text.match(/\S+\s*/g) ?? []).map((part) =>
      messagesEvent({ type: "content_block_delta", index: 0, delta: delta(part) }),
    ),
    messagesEvent({ type: "content_block_stop", index: 0 }),
    messagesEvent({ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage }),
    messagesEvent({ type: "message_stop" }),
  ];
}

/** A valid messages-dialect answer: JSON, or a stream if one was requested; a count for count_tokens. */
export function answerMessageWith(
  text: string,
  usage: Record<string, unknown> = { input_tokens: 10, output_tokens: 5 },
): UpstreamHandler {
  return (call, response) => {
    if (call.path.includes("count_tokens")) {
      sendJson(response, 200, { input_tokens: usage.input_tokens });
      return;
    }
    if (call.body.stream === true) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(textEvents(text, usage).join(""));
      return;
    }
    sendJson(response, 200, {
      ...{ id: "msg_fake", type: "message", role: "assistant", model: call.body.model },
      ...{ content: [{ type: "text", text }], stop_reason: "end_turn", stop_sequence: null, usage },
    });
  };
}
