import { expect } from "vitest";
import type { ChatRead, Manner } from "./chat-client";
import { type ChatReading, type ChatRefusal, type Choices, eventData, isRefusal } from "./chat-oracle";
import { residueOf } from "./chat-residue";
import type { JsonObject } from "./corpus";
import { checkEnvelope, malformed, type RefusalEnvelope, refusedAs } from "./envelope";
import { act, type Stage } from "./stage";
import type { RecordedUsage } from "./usage";

/** A chat exchange on its stage, and the reading of its recording. */
export type ChatScene = Stage & { reading: ChatReading };

/** How to make one call. */
export type ChatCallOptions = {
  /** The client asks for the usage chunk. If false, the request has no such member. Streams only. */
  asksUsage: boolean;
  cut: (body: Buffer) => Buffer[];
};

/** Whether a stream ends with its usage: for a client that asks for the usage or for the cost. */
const getsUsage = ({ recording }: Stage, { asksUsage }: ChatCallOptions): boolean =>
  asksUsage || (recording.request.usage as JsonObject | undefined)?.include === true;

/** The recorded request as a client sends it to this gateway. */
function requestOf({ recording, model, isStream }: Stage, asksUsage: boolean): JsonObject {
  const { stream_options: options, ...request } = recording.request;
  const asking = { stream_options: { ...(options as JsonObject | undefined), include_usage: true } };
  return { ...request, model, ...(isStream && asksUsage && asking) };
}

/** Makes one call by `send`. Checks that the upstream sees the recorded request, once; it answers as recorded. */
export async function callChat<T>(
  stage: Stage,
  call: ChatCallOptions,
  send: (body: JsonObject) => Promise<T>,
): Promise<T> {
  const { recording, isStream } = stage;
  const body = requestOf(stage, call.asksUsage);
  const { result, requests } = await act(stage, call.cut, () => send(body));
  // `usage` asks this gateway for the cost; it is not forwarded.
  const { stream_options: _options, usage: _asksCost, ...rest } = recording.request;
  const options = { ...(body.stream_options as JsonObject | undefined), include_usage: true };
  expect(
    requests.map((call) => call.body),
    "the upstream's request is the recorded one",
  ).toEqual([{ ...rest, ...(isStream && { stream_options: options }) }]);
  return result;
}

/** The result of the SDKs' own accumulator: it keeps only the last fragment of fields that it does not know. */
const without = (choices: Choices, manner: Manner): Choices =>
  manner === "chunks"
    ? choices
    : Object.fromEntries(
        Object.entries(choices).map(([index, choice]) => [index, { ...choice, reasoning: "" }]),
      );

const anyId: string = expect.stringMatching(/./);

/** A tool call without an id from its vendor gets one, because clients refer to it in their answer. */
const identified = (choices: Choices): Choices =>
  Object.fromEntries(
    Object.entries(choices).map(([index, choice]) => [
      index,
      { ...choice, toolCalls: choice.toolCalls.map((call) => ({ ...call, id: call.id ?? anyId })) },
    ]),
  );

/** Checks that the usage of spec 2.2 follows from these counts; without counts it is an estimate. */
export function checkUsage(clientUsage: JsonObject | null, usage: RecordedUsage | null): void {
  const details = clientUsage?.completion_tokens_details as JsonObject | null | undefined;
  const counts = {
    prompt_tokens: clientUsage?.prompt_tokens,
    completion_tokens: clientUsage?.completion_tokens,
    total_tokens: clientUsage?.total_tokens,
    reasoning: details?.reasoning_tokens ?? 0,
  };
  if (usage) {
    const prompt = usage.prompt ?? Number(counts.prompt_tokens);
    expect(prompt, "an input").toBeGreaterThan(0);
    expect(counts, "usage").toEqual({
      prompt_tokens: prompt,
      completion_tokens: usage.completion,
      total_tokens: prompt + usage.completion,
      reasoning: usage.reasoning ?? counts.reasoning,
    });
    return;
  }
  expect(counts.prompt_tokens, "estimated input").toBeGreaterThan(0);
  expect(counts.completion_tokens, "estimated output").toBeGreaterThan(0);
}

/** Checks that an SDK read what the recording has. */
export function checkRead(
  scene: ChatScene,
  call: ChatCallOptions & { manner: Manner },
  read: ChatRead,
): void {
  const { reading, model, isStream } = scene;
  if (isRefusal(reading)) {
    expect(read.error).toMatchObject({ status: reading.kind === "refused" ? reading.status : 502 });
    expect(read.choices).toEqual({});
    return;
  }
  if (reading.kind === "broken") {
    expect(read.error).toEqual({ status: undefined, message: reading.words });
    if (call.manner === "chunks") {
      expect(read.choices).toEqual(reading.choices);
    }
    return;
  }
  expect(read.error).toBeNull();
  const manner = isStream ? call.manner : "chunks";
  expect(without(read.choices, manner)).toEqual(without(identified(reading.choices), manner));
  expect([...new Set(read.models)], "the public model name, and no other").toEqual([model]);
  expect([...new Set(read.ids)], "one id").toEqual([expect.stringMatching(/./)]);
  if (isStream && !getsUsage(scene, call)) {
    expect(read.usage).toBeNull();
  } else {
    checkUsage(read.usage, reading.usage);
  }
}

const parseChunks = (datas: string[]): JsonObject[] =>
  datas.filter((data) => data !== "[DONE]").map((data) => JSON.parse(data) as JsonObject);

const isUsageChunk = (chunk: JsonObject) => chunk.usage !== undefined && chunk.usage !== null;

/** Checks the events of a stream on the wire: none is lost, usage is exactly where it belongs, there is one end. */
function checkEvents(text: string, { reading, recording }: ChatScene, asksUsage: boolean): void {
  const datas = eventData(text);
  if (reading.kind === "broken") {
    expect(datas).not.toContain("[DONE]");
    const last = JSON.parse(datas.at(-1) ?? "") as JsonObject;
    expect(last).toMatchObject({ error: { message: reading.words }, message: reading.words, data: null });
    return;
  }
  expect(datas.indexOf("[DONE]"), "one end, at the end").toBe(datas.length - 1);
  const chunks = parseChunks(datas);
  const recorded = parseChunks(eventData(recording.body.toString("utf8"))).filter(
    (chunk) => !(isUsageChunk(chunk) && Array.isArray(chunk.choices) && chunk.choices.length === 0),
  );
  expect(chunks.slice(0, recorded.length).map(residueOf)).toEqual(recorded.map(residueOf));
  if (asksUsage) {
    expect(chunks.filter(isUsageChunk)).toEqual([{ ...chunks.at(-1), choices: [] }]);
    expect(chunks.filter((chunk) => !("usage" in chunk))).toEqual([]);
  } else {
    expect(chunks.filter((chunk) => "usage" in chunk)).toEqual([]);
  }
}

const refusedOf = (reading: ChatRefusal): RefusalEnvelope =>
  reading.kind === "foreign" ? malformed : refusedAs(reading.status, reading.words);

/** Checks the answer on the wire, in addition to the SDK's reading of it. */
export async function checkWire(scene: ChatScene, call: ChatCallOptions, response: Response): Promise<void> {
  const { reading, recording, isStream } = scene;
  const text = await response.text();
  if (isRefusal(reading)) {
    checkEnvelope(response, text, refusedOf(reading));
    return;
  }
  expect(response.status).toBe(200);
  if (isStream) {
    checkEvents(text, scene, getsUsage(scene, call));
  } else {
    const recorded = JSON.parse(recording.body.toString("utf8")) as JsonObject;
    expect(residueOf(JSON.parse(text) as JsonObject)).toEqual(residueOf(recorded));
  }
}
