import { expect } from "vitest";
import type { Fields } from "./corpus";
import { type Choices, eventData, isRefusal, type Refusal } from "./oracle";
import type { Usage } from "./oracle-usage";
import { residueOf } from "./residue";
import type { Manner, Read } from "./sdk";
import type { Call, Stage } from "./stage";

/** What the SDKs' own accumulator gives: it keeps the last fragment of fields that it does not know. */
const without = (choices: Choices, manner: Manner): Choices =>
  manner === "chunks"
    ? choices
    : Object.fromEntries(
        Object.entries(choices).map(([index, choice]) => [index, { ...choice, reasoning: "" }]),
      );

/** The usage of spec 2.2 that these counts come to. */
const usageFields = (usage: Usage) => ({
  prompt_tokens: usage.prompt,
  completion_tokens: usage.completion,
  total_tokens: usage.prompt + usage.completion,
  reasoning: usage.reasoning,
});

function checkUsage(sent: Fields | null, usage: Usage | null): void {
  const details = sent?.completion_tokens_details as Fields | null | undefined;
  const counts = {
    prompt_tokens: sent?.prompt_tokens,
    completion_tokens: sent?.completion_tokens,
    total_tokens: sent?.total_tokens,
    reasoning: details?.reasoning_tokens ?? 0,
  };
  if (usage) {
    expect(counts, "usage").toEqual(usageFields(usage));
    return;
  }
  expect(counts.prompt_tokens, "estimated input").toBeGreaterThan(0);
  expect(counts.completion_tokens, "estimated output").toBeGreaterThan(0);
}

/** What an SDK read is what the recording says. */
export function checkRead(
  { reading, model, isStream }: Stage,
  call: Call & { manner: Manner },
  read: Read,
): void {
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
  expect(without(read.choices, manner)).toEqual(without(reading.choices, manner));
  expect([...new Set(read.models)], "the public model name, and no other").toEqual([model]);
  expect([...new Set(read.ids)], "one id").toEqual([expect.stringMatching(/./)]);
  if (isStream && !call.asksUsage) {
    expect(read.usage).toBeNull();
  } else {
    checkUsage(read.usage, reading.usage);
  }
}

const parseChunks = (datas: string[]): Fields[] =>
  datas.filter((data) => data !== "[DONE]").map((data) => JSON.parse(data) as Fields);

const isUsageChunk = (chunk: Fields) => chunk.usage !== undefined && chunk.usage !== null;

/** The events of a stream as they are on the wire: nothing lost, usage where it belongs and nowhere else, one end. */
function checkEvents(text: string, { reading, recording }: Stage, asksUsage: boolean): void {
  const datas = eventData(text);
  if (reading.kind === "broken") {
    expect(datas).not.toContain("[DONE]");
    const last = JSON.parse(datas.at(-1) ?? "") as Fields;
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

/** The envelope of spec section 7, with the upstream's words where they are the client's to know. */
function checkEnvelope(response: Response, body: unknown, reading: Refusal): void {
  const status = reading.kind === "refused" ? reading.status : 502;
  expect(response.status).toBe(status);
  expect(body).toEqual({ code: status, message: expect.any(String), data: null });
  const { message } = body as { message: string };
  if (reading.kind === "foreign") {
    expect(message).toBe("上游响应格式异常");
  } else if (status === 502) {
    expect(message).toBe("上游渠道全部不可用");
  } else if (reading.words) {
    expect(message, "the upstream's words").toBe(reading.words);
  }
}

/** What stands on the wire, beside what an SDK makes of it. */
export async function checkWire(stage: Stage, call: Call, response: Response): Promise<void> {
  const { reading, recording, isStream } = stage;
  const text = await response.text();
  if (isRefusal(reading)) {
    checkEnvelope(response, JSON.parse(text), reading);
    return;
  }
  expect(response.status).toBe(200);
  if (isStream) {
    checkEvents(text, stage, call.asksUsage);
  } else {
    const recorded = JSON.parse(recording.body.toString("utf8")) as Fields;
    expect(residueOf(JSON.parse(text) as Fields)).toEqual(residueOf(recorded));
  }
}
