/** The official clients and their readings. Strict: anything that the dialect does not allow throws. */
import { OpenAI } from "openai";
import { OpenAI as OpenAI6 } from "openai-6";
import { type Choices, newChoice } from "./chat-oracle";
import type { JsonObject } from "./corpus";

/** The part of both majors that the tests use; their own types differ. */
type Completions = {
  create: (body: unknown) => Promise<unknown>;
  stream: (body: unknown) => { finalChatCompletion: () => Promise<unknown> };
};

const majors = { 6: OpenAI6, 7: OpenAI };
export type Major = keyof typeof majors;

/** How a client reads a stream: chunk by chunk, or with the SDK's own accumulator. */
export type Manner = "chunks" | "accumulated";

export type ChatRead = {
  choices: Choices;
  usage: JsonObject | null;
  models: unknown[];
  ids: unknown[];
  /** The error that the SDK threw, at any time. */
  error: { status: unknown; message: string } | null;
};

type SdkMessage = {
  content?: string | null;
  reasoning_content?: string | null;
  refusal?: string | null;
  function_call?: { name?: string; arguments?: string } | null;
  tool_calls?: { index?: number; id?: string; function?: { name?: string; arguments?: string } }[] | null;
};
type SdkChoice = { index: number; delta?: SdkMessage; message?: SdkMessage; finish_reason: string | null };
type Chunk = { id: string; model: string; choices: SdkChoice[]; usage?: JsonObject | null };

const joined = (before: string, added: unknown): string => {
  if (added !== undefined && added !== null && typeof added !== "string") {
    throw new TypeError(`not a text: ${JSON.stringify(added)}`);
  }
  return before + (added ?? "");
};

function addCalls(choice: Choices[number], calls: NonNullable<SdkMessage["tool_calls"]>): void {
  for (const [position, call] of calls.entries()) {
    const index = call.index ?? position;
    const toolCall = choice.toolCalls[index] ?? { id: null, name: "", arguments: "" };
    choice.toolCalls[index] = toolCall;
    toolCall.id ??= call.id || null;
    toolCall.name = joined(toolCall.name, call.function?.name);
    toolCall.arguments = joined(toolCall.arguments, call.function?.arguments);
  }
}

function addChunk(read: ChatRead, chunk: Chunk, member: "delta" | "message"): void {
  read.models.push(chunk.model);
  read.ids.push(chunk.id);
  read.usage = chunk.usage ?? read.usage;
  for (const chunkChoice of chunk.choices) {
    const message = chunkChoice[member] ?? {};
    const choice = read.choices[chunkChoice.index] ?? newChoice();
    read.choices[chunkChoice.index] = choice;
    choice.text = joined(choice.text, message.content);
    choice.reasoning = joined(choice.reasoning, message.reasoning_content);
    choice.refusal = joined(choice.refusal, message.refusal);
    addCalls(choice, message.tool_calls ?? []);
    const called = message.function_call;
    if (called?.name || called?.arguments) {
      choice.functionCall ??= { name: "", arguments: "" };
      choice.functionCall.name = joined(choice.functionCall.name, called.name);
      choice.functionCall.arguments = joined(choice.functionCall.arguments, called.arguments);
    }
    choice.finish = chunkChoice.finish_reason ?? choice.finish;
  }
}

/** Sends a request through one SDK and reads the whole answer or error. */
export async function ask(
  client: { major: Major; manner: Manner; url: string; secret: string; fetch?: typeof fetch },
  body: JsonObject,
): Promise<ChatRead> {
  const { url, secret: apiKey, fetch } = client;
  const options = { baseURL: `${url}/v1`, apiKey, maxRetries: 0, ...(fetch && { fetch }) };
  const completions = new majors[client.major](options).chat.completions as unknown as Completions;
  const read: ChatRead = { choices: {}, usage: null, models: [], ids: [], error: null };
  try {
    if (body.stream === true && client.manner === "accumulated") {
      addChunk(read, (await completions.stream(body).finalChatCompletion()) as Chunk, "message");
    } else if (body.stream === true) {
      for await (const chunk of (await completions.create(body)) as AsyncIterable<Chunk>) {
        addChunk(read, chunk, "delta");
      }
    } else {
      addChunk(read, (await completions.create(body)) as Chunk, "message");
    }
  } catch (thrown) {
    const error = thrown as { status?: unknown; message: string };
    read.error = { status: error.status, message: error.message };
  }
  return read;
}
