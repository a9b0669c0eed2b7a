import { expect } from "vitest";
import type { TestGateway } from "@/tests/support/gateway";
import type { FakeUpstream } from "@/tests/support/upstream";
import { type Exchange, type Fields, loadRecording, type Recording } from "./corpus";
import { isRefusal, type Reading, readRecording } from "./oracle";
import { replay } from "./replay";

/** One exchange with a model, a channel and a customer of its own. */
export type Stage = {
  gateway: TestGateway;
  upstream: FakeUpstream;
  recording: Recording;
  reading: Reading;
  isStream: boolean;
  /** The gateway's name of the model; the upstream's is the recorded one. */
  model: string;
  accountId: string;
  secret: string;
  calls: number;
};

/** How one call is made. */
export type Call = {
  /** The client asks for the usage chunk; without it, it says nothing. Streams only. */
  asksUsage: boolean;
  cut: (body: Buffer) => Buffer[];
};

export async function setStage(
  { gateway, upstream }: Pick<Stage, "gateway" | "upstream">,
  exchange: Exchange,
): Promise<Stage> {
  const recording = loadRecording(exchange);
  const model = await gateway.model();
  const models = { [model]: String(recording.request.model) };
  await gateway.channel({ model, models, baseUrl: upstream.baseUrl });
  return {
    gateway,
    upstream,
    recording,
    reading: readRecording(recording),
    isStream: recording.request.stream === true,
    model,
    ...(await gateway.customer()),
    calls: 0,
  };
}

/** The recorded request as a client of ours sends it. */
function requestOf({ recording, model, isStream }: Stage, asksUsage: boolean): Fields {
  const { stream_options: options, ...request } = recording.request;
  const asking = { stream_options: { ...(options as Fields | undefined), include_usage: true } };
  return { ...request, model, ...(isStream && asksUsage && asking) };
}

/** Makes one call by `send`; the upstream must see the recorded request, once, and answer as recorded. */
export async function act<T>(stage: Stage, call: Call, send: (body: Fields) => Promise<T>): Promise<T> {
  const { recording, upstream, isStream } = stage;
  upstream.answer(replay(recording, call.cut(recording.body)));
  const body = requestOf(stage, call.asksUsage);
  const before = upstream.asked.length;
  const result = await send(body);
  stage.calls++;
  const { stream_options: _options, ...rest } = recording.request;
  const options = { ...(body.stream_options as Fields | undefined), include_usage: true };
  expect(
    upstream.asked.slice(before).map((asked) => asked.body),
    "the upstream's request is the recorded one",
  ).toEqual([{ ...rest, ...(isStream && { stream_options: options }) }]);
  return result;
}

/** Every call so far has one entry, and the newest says what the recording says. */
export async function checkLedger({ gateway, accountId, calls, reading }: Stage): Promise<void> {
  // A refusal does not wait for its release.
  await expect.poll(async () => (await gateway.entries(accountId)).length).toBe(calls);
  const entry = (await gateway.entries(accountId))[0];
  if (isRefusal(reading)) {
    expect(entry).toMatchObject({ kind: "release", usageSource: null });
    expect(await gateway.balance(accountId)).toMatchObject({ used: 0n, frozen: 0n });
    return;
  }
  const [cacheRead, cacheWrite] = [Number(entry?.cacheReadTokens), Number(entry?.cacheWriteTokens)];
  const charged = {
    kind: entry?.kind,
    source: entry?.usageSource,
    prompt: Number(entry?.inputTokens) + cacheRead + cacheWrite + Number(entry?.cacheWrite1hTokens),
    cacheRead,
    cacheWrite,
    completion: Number(entry?.outputTokens),
    reasoning: Number(entry?.reasoningTokens),
  };
  if (reading.kind === "answer" && reading.usage) {
    expect(charged).toEqual({ kind: "capture", source: "upstream", ...reading.usage });
    return;
  }
  expect(charged).toMatchObject({ kind: "capture", source: "estimated" });
  expect(charged.prompt).toBeGreaterThan(0);
  expect(charged.completion).toBeGreaterThan(0);
}
