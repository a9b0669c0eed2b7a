import { sendJson, type UpstreamHandler } from "./upstream";

/** The counts of a response: the input includes the cached tokens, the output the reasoning. */
export const responseUsage = (
  input: number,
  output: number,
  { cached = 0, written = 0, reasoning = 0 } = {},
) => ({
  input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
  input_tokens: input,
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
});

const responseEvent = (type: string, rest: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 0, ...rest })}\n\n`;

/** A valid answer: JSON, or a stream if one was requested. The message changes its identifier on the way. */
export function answerResponseWith(text: string, usage = responseUsage(10, 5)): UpstreamHandler {
  const part = { type: "output_text", text, annotations: [], logprobs: [] };
  const item = {
    ...{ id: "msg_upstream", type: "message", status: "completed", role: "assistant" },
    content: [part],
  };
  return (call, response) => {
    const head = { id: "resp_upstream", object: "response", created_at: 1_700_000_000, store: false };
    const commonFields = { ...head, model: call.body.model, error: null, incomplete_details: null };
    const whole = { ...commonFields, status: "completed", output: [item], usage };
    if (call.body.stream !== true) {
      sendJson(response, 200, whole);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const begun = { response: { ...commonFields, status: "in_progress", output: [], usage: null } };
    const place = { output_index: 0, item_id: item.id, content_index: 0 };
    const added = { ...item, id: `${item.id}_at_first`, status: "in_progress", content: [] };
    const events: [string, object][] = [
      ["created", begun],
      ["in_progress", begun],
      ["output_item.added", { output_index: 0, item: added }],
      ["content_part.added", { ...place, part: { ...part, text: "" } }],
      ...(text.match(/\S+\s*/g) ?? []).map((delta): [string, object] => [
        "output_text.delta",
        { ...place, delta, logprobs: [] },
      ]),
      ["output_text.done", { ...place, text, logprobs: [] }],
      ["content_part.done", { ...place, part }],
      ["output_item.done", { output_index: 0, item }],
      ["completed", { response: whole }],
    ];
    response.end(events.map(([type, rest]) => responseEvent(`response.${type}`, rest)).join(""));
  };
}
