/** The readings of OpenAI's clients for a response, whole or from the SDK's own accumulator, and the expected one. */
import { OpenAI } from "openai";
import { OpenAI as OpenAI6 } from "openai-6";
import { expect } from "vitest";
import type { JsonObject } from "./corpus";
import type { AnswerContent, Crossed } from "./crossed-oracle";
import { fields, list, string } from "./json";
import type { RecordedUsage } from "./usage";

/** The part of both majors that the tests use; their own types differ. */
type Responses = {
  create: (body: unknown) => Promise<unknown>;
  stream: (body: unknown) => { finalResponse: () => Promise<unknown> };
};

const majors = { 6: OpenAI6, 7: OpenAI };

export type ResponseRead = {
  response: JsonObject | null;
  error: { status: unknown; message: string } | null;
};

export async function askResponses(
  {
    major,
    url,
    secret,
    fetch,
  }: { major: 6 | 7; url: string; secret: string; fetch?: typeof globalThis.fetch },
  body: JsonObject,
): Promise<ResponseRead> {
  const options = { baseURL: `${url}/v1`, apiKey: secret, maxRetries: 0, ...(fetch && { fetch }) };
  const client = new majors[major](options);
  const responses = client.responses as unknown as Responses;
  try {
    const { stream, ...rest } = body;
    const response = stream ? await responses.stream(rest).finalResponse() : await responses.create(rest);
    return { response: fields(response), error: null };
  } catch (error) {
    const { status, message } = error as { status?: unknown; message: string };
    return { response: null, error: { status, message } };
  }
}

const cut = new Set(["length", "max_tokens", "model_context_window_exceeded"]);
const refused = new Set(["content_filter", "refusal"]);

function stopOf(content: AnswerContent, output: JsonObject[]): { status: string; reason: unknown } {
  const isRefusalSaid = output.some((item) => list(item.content).some(({ type }) => type === "refusal"));
  if (cut.has(content.stop)) {
    return { status: "incomplete", reason: "max_output_tokens" };
  }
  return refused.has(content.stop) && !isRefusalSaid
    ? { status: "incomplete", reason: "content_filter" }
    : { status: "completed", reason: undefined };
}

function checkSays(response: JsonObject, content: AnswerContent): void {
  const output = list(response.output);
  const itemsOf = (type: string) => output.filter((item) => item.type === type);
  const text = itemsOf("message").flatMap((item) =>
    list(item.content).map((part) => string(part.text ?? part.refusal)),
  );
  const thinking = itemsOf("reasoning").flatMap((item) =>
    list(item.summary).map((part) => string(part.text)),
  );
  const tools = itemsOf("function_call").map(({ name, arguments: args }) => ({
    name,
    input: JSON.parse(string(args)),
  }));
  expect({ text: text.join(""), thinking: thinking.join(""), tools }).toEqual({
    text: content.text,
    thinking: content.thinking,
    tools: content.tools.map(({ name, input }) => ({ name, input })),
  });
  expect({ status: response.status, reason: fields(response.incomplete_details).reason }).toEqual(
    stopOf(content, output),
  );
  const ids = output.map(({ id }) => id);
  expect(new Set(ids).size, "an identifier of its own for each item").toBe(output.length);
  for (const item of output) {
    expect(string(item.id)).toMatch(/^(?:msg|rs|fc|ctc)_[0-9a-f]{44}$/);
  }
  const calls = itemsOf("function_call").map((item) => string(item.call_id));
  expect(new Set(calls).size).toBe(calls.length);
  expect(calls.every((id) => id.length > 0 && id.length <= 64)).toBe(true);
}

function checkCounts(clientUsage: JsonObject, usage: RecordedUsage | null): void {
  const cached = fields(clientUsage.input_tokens_details);
  if (!usage) {
    expect(clientUsage.input_tokens, "estimated input").toBeGreaterThan(0);
    return;
  }
  expect(clientUsage.total_tokens).toBe(Number(clientUsage.input_tokens) + Number(clientUsage.output_tokens));
  expect(clientUsage.input_tokens).toBe(usage.prompt ?? clientUsage.input_tokens);
  expect(clientUsage.output_tokens).toBe(usage.completion);
  expect(cached).toEqual({
    cached_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite + usage.cacheWrite1h,
  });
}

/** Checks an SDK's reading of a recording in another dialect. */
export function checkResponse(
  { crossed, model }: { crossed: Crossed; model: string },
  read: ResponseRead,
): void {
  if (crossed.kind === "refused") {
    expect(read.error).toMatchObject({ status: crossed.refused.status });
    return;
  }
  if (crossed.kind === "broken") {
    // The SDKs throw on the error event, or return the failed response.
    const failed = read.response && JSON.stringify(read.response.error);
    expect(read.error?.message ?? failed).toContain(crossed.words);
    return;
  }
  expect(read.error).toBeNull();
  const response = read.response ?? {};
  expect(response).toMatchObject({ object: "response", model, error: null });
  checkSays(response, crossed.content);
  checkCounts(fields(response.usage), crossed.usage);
}
