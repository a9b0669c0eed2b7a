import { createParser } from "eventsource-parser";
import { z } from "zod";

// No key may be null: it, and other clients of the dialect, take optional keys as absent or whole.
const Block = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  z.strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
  z.strictObject({
    type: z.literal("tool_use"),
    id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
]);
type Block = z.infer<typeof Block>;
const count = z.number().int().nonnegative();
const Usage = z.looseObject({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
});
export const Answer = z.looseObject({
  id: z.string().startsWith("msg_"),
  type: z.literal("message"),
  role: z.literal("assistant"),
  model: z.string(),
  content: z.array(Block),
  stop_reason: z.string().nullable(),
  stop_sequence: z.string().nullable(),
  usage: Usage,
});
export type Answer = z.infer<typeof Answer>;
const index = z.number().int();
const Event = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("message_start"), message: Answer }),
  z.looseObject({ type: z.literal("ping") }),
  z.looseObject({ type: z.literal("content_block_start"), index, content_block: Block }),
  z.looseObject({
    type: z.literal("content_block_delta"),
    index,
    delta: z.discriminatedUnion("type", [
      z.strictObject({ type: z.literal("text_delta"), text: z.string() }),
      z.strictObject({ type: z.literal("thinking_delta"), thinking: z.string() }),
      z.strictObject({ type: z.literal("signature_delta"), signature: z.string() }),
      z.strictObject({ type: z.literal("input_json_delta"), partial_json: z.string() }),
    ]),
  }),
  z.looseObject({ type: z.literal("content_block_stop"), index }),
  z.looseObject({
    type: z.literal("message_delta"),
    delta: z.looseObject({ stop_reason: z.string(), stop_sequence: z.string().nullable() }),
    usage: Usage.partial().extend({ output_tokens: count }),
  }),
  z.looseObject({ type: z.literal("message_stop") }),
]);
type Event = z.infer<typeof Event>;
type Delta = Extract<Event, { type: "content_block_delta" }>["delta"];

function append(block: Block, delta: Delta, json: { text: string }): void {
  if (block.type === "text" && delta.type === "text_delta") {
    block.text += delta.text;
  } else if (block.type === "thinking" && delta.type === "thinking_delta") {
    block.thinking += delta.thinking;
  } else if (block.type === "thinking" && delta.type === "signature_delta") {
    block.signature += delta.signature;
  } else if (block.type === "tool_use" && delta.type === "input_json_delta") {
    json.text += delta.partial_json;
  } else {
    throw new Error(`Content block is not a ${delta.type} block but ${block.type}`);
  }
}

function demand(isMet: boolean, what: string): void {
  if (!isMet) {
    throw new Error(`stream: ${what}`);
  }
}

/** Puts an answer together, one block at a time, numbered without gaps. */
class Assembly {
  answer: Answer | undefined;
  isStopped = false;
  private open: Block | undefined;
  private json = { text: "" };

  take(event: Event): void {
    demand(!this.isStopped, `${event.type} after the end`);
    if (event.type === "message_start") {
      const { usage } = event.message;
      demand(!this.answer && usage.input_tokens > 0, "one message_start, with the size of its prompt");
      this.answer = event.message;
    } else if (event.type !== "ping") {
      this.takePart(event, this.answer);
    }
  }

  private takePart(event: Event, answer: Answer | undefined): void {
    if (!answer) {
      throw new Error(`stream: ${event.type} before message_start`);
    }
    if (event.type === "content_block_start") {
      demand(!this.open && event.index === answer.content.length, `block ${event.index} starts out of turn`);
      this.open = event.content_block;
      this.json.text = "";
      answer.content.push(event.content_block);
    } else if (event.type === "content_block_delta" || event.type === "content_block_stop") {
      demand(event.index === answer.content.length - 1, "Content block not found");
      this.takeBlockEvent(event, this.open);
    } else if (event.type === "message_delta") {
      demand(!this.open, "the answer ends inside a block");
      Object.assign(answer, event.delta);
      Object.assign(answer.usage, event.usage);
    } else {
      demand(answer.stop_reason !== null, "no stop reason");
      this.isStopped = true;
    }
  }

  private takeBlockEvent(event: Event, block: Block | undefined): void {
    if (!block) {
      throw new Error("stream: the block is closed");
    }
    if (event.type === "content_block_delta") {
      append(block, event.delta, this.json);
      return;
    }
    if (block.type === "tool_use" && this.json.text !== "") {
      block.input = z.record(z.string(), z.unknown()).parse(JSON.parse(this.json.text));
    }
    this.open = undefined;
  }
}

/**
 * Reads a stream as Claude Code does: strictly in order, and nothing that it does not know. Throws on anything else.
 */
export async function readStream(response: Response): Promise<Answer> {
  const assembly = new Assembly();
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const parsed = Event.parse(JSON.parse(data));
      demand(event === parsed.type, `event ${event} is called ${parsed.type}`);
      assembly.take(parsed);
    },
  });
  parser.feed(await response.text());
  if (!assembly.answer || !assembly.isStopped) {
    throw new Error("stream ended without a whole message");
  }
  return assembly.answer;
}
