import { type Answer, sendJson } from "./upstream";

type Item = Record<string, unknown>;

/** Counts of a response: the cached ones inside of the input, the reasoning inside of the output. */
export const responseUsage = (
  input: number,
  output: number,
  { cached = 0, written = 0, reasoning = 0 } = {},
) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
});

/** An event of a Responses stream. */
export const responseEvent = (type: string, rest: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 0, ...rest })}\n\n`;

export const messageItem = (text: string): Item => ({
  id: "msg_upstream",
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});

/** The events of one whole item; a vendor's identifiers may change on the way. */
function itemEvents(item: Item, output_index: number): string {
  const added = responseEvent("response.output_item.added", {
    output_index,
    item: { ...item, id: `${item.id}_at_first`, status: "in_progress", content: [] },
  });
  const [part] = (item.content ?? []) as { text: string }[];
  const place = { output_index, item_id: item.id, content_index: 0 };
  const said =
    item.type === "message" && part
      ? responseEvent("response.content_part.added", { ...place, part: { ...part, text: "" } }) +
        (part.text.match(/\S+\s*/g) ?? [])
          .map((delta) => responseEvent("response.output_text.delta", { ...place, delta, logprobs: [] }))
          .join("") +
        responseEvent("response.output_text.done", { ...place, text: part.text, logprobs: [] }) +
        responseEvent("response.content_part.done", { ...place, part })
      : "";
  return added + said + responseEvent("response.output_item.done", { output_index, item });
}

/** A well-formed answer of these items: JSON, or a stream when one was asked for. `more`: members of its response. */
export function answerItemsWith(output: Item[], usage = responseUsage(10, 5), more: object = {}): Answer {
  return (asked, response) => {
    const head = { id: "resp_upstream", object: "response", created_at: 1_700_000_000, store: false };
    const said = { ...head, model: asked.body.model, error: null, incomplete_details: null };
    const whole = { ...said, status: "completed", output, usage, ...more };
    if (asked.body.stream !== true) {
      sendJson(response, 200, whole);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const begun = { response: { ...said, status: "in_progress", output: [], usage: null } };
    response.write(responseEvent("response.created", begun) + responseEvent("response.in_progress", begun));
    for (const [index, item] of output.entries()) {
      response.write(itemEvents(item, index));
    }
    response.end(responseEvent(`response.${whole.status}`, { response: whole }));
  };
}

export const answerResponseWith = (text: string, usage = responseUsage(10, 5)): Answer =>
  answerItemsWith([messageItem(text)], usage);
