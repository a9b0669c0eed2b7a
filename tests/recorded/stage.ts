import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "vitest";
import type { CapabilityOverrides } from "@/server/channels";
import type { AccountId } from "@/server/domain/ids";
import { eventually } from "@/tests/support/eventually";
import type { FakeUpstream } from "@/tests/support/upstream";
import type { Recording } from "./corpus";
import { checkEnvelope } from "./envelope";
import { replay } from "./replay";
import type { ReplayWorld } from "./suite";
import type { RecordedUsage } from "./usage";

/** One exchange, with a model and a customer that only it uses. */
export type Stage = ReplayWorld & {
  recording: Recording;
  isStream: boolean;
  /** The gateway's name of the model; the upstream's name is the recorded one. */
  model: string;
  accountId: AccountId;
  secret: string;
  calls: number;
};

/** Providers whose answers need their preset; without it they would be read as plain answers of the dialect. */
const presets: Record<string, string> = { "vercel-gateway": "vercel" };

type StageChannel = {
  dialect: "openai" | "openai-responses" | "anthropic" | "gemini";
  capabilities?: CapabilityOverrides;
};

type ReceivedRequest = FakeUpstream["requests"][number];

async function openModel(
  { gateway, upstream }: ReplayWorld,
  recording: Recording,
  part: StageChannel,
): Promise<string> {
  const { dialect, capabilities = {} } = part;
  // Above every limit in a recording: the gateway never requests more than its model's own maximum.
  const model = await gateway.model({ kind: "chat", maxOutputTokens: 200_000 });
  const models = { [model]: String(recording.request.model) };
  const vendor = presets[recording.exchange.provider] ?? null;
  const byModel = { [model]: capabilities };
  await gateway.channel({ model, models, dialect, vendor, baseUrl: upstream.baseUrl, capabilities: byModel });
  return model;
}

/** The models of a file, by the settings of their channel. */
const opened = new WeakMap<FakeUpstream, Map<string, Promise<string>>>();

/**
 * A new model for a recorded failure, which opens its channel's breaker; other recordings share a model with the same
 * channel settings.
 */
async function modelFor(world: ReplayWorld, recording: Recording, part: StageChannel): Promise<string> {
  if (recording.status !== 200) {
    return await openModel(world, recording, part);
  }
  const models = opened.get(world.upstream) ?? new Map<string, Promise<string>>();
  opened.set(world.upstream, models);
  const { exchange, request } = recording;
  const name = JSON.stringify([part, request.model, presets[exchange.provider]]);
  const model = models.get(name) ?? openModel(world, recording, part);
  models.set(name, model);
  return await model;
}

export async function setStage(world: ReplayWorld, recording: Recording, part: StageChannel): Promise<Stage> {
  const model = await modelFor(world, recording, part);
  const isStream = recording.exchange.stream || recording.request.stream === true;
  return { ...world, recording, isStream, model, ...(await world.gateway.customer()), calls: 0 };
}

/** The gateway waits before it repeats a request, so its clock is advanced until the work has ended. */
async function hasten<T>(work: Promise<T>, advance: (ms: number) => void): Promise<T> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  while (!isOver) {
    advance(100);
    await nextTurn();
  }
  return await work;
}

/** Makes one call by `send` while the upstream answers as recorded, in the pieces of `cut`. */
export async function act<T>(
  stage: Stage,
  cut: (body: Buffer) => Buffer[],
  send: () => Promise<T>,
): Promise<{ result: T; requests: ReceivedRequest[] }> {
  const { recording, upstream } = stage;
  upstream.answer(replay(recording, cut(recording.body)));
  const before = upstream.requests.length;
  // The gateway repeats a request unchanged after a temporary failure.
  const isRepeated = recording.status === 429 || recording.status >= 500;
  const result = await (isRepeated ? hasten(send(), stage.gateway.advance) : send());
  stage.calls++;
  const [first, ...repeats] = upstream.requests.slice(before);
  for (const { path, body } of isRepeated ? repeats : []) {
    expect({ path, body }, "a repeat").toEqual({ path: first?.path, body: first?.body });
  }
  return { result, requests: [...(first ? [first] : []), ...(isRepeated ? [] : repeats)] };
}

/**
 * Checks a client's request that is invalid in its dialect: a 400 of the gateway, no upstream request, no ledger entry.
 */
export async function checkDoor(
  { upstream, gateway, accountId }: Stage,
  send: () => Promise<Response>,
): Promise<void> {
  const [callsBefore, entriesBefore] = [upstream.requests.length, (await gateway.entries(accountId)).length];
  const response = await send();
  checkEnvelope(response, await response.text(), { status: 400, message: null });
  expect(upstream.requests.length).toBe(callsBefore);
  expect((await gateway.entries(accountId)).length).toBe(entriesBefore);
}

/**
 * The expected end of a call in the ledger. `estimated`: the upstream did not count, so the gateway estimated; the same
 * for an answer that broke off.
 */
type Settlement = { kind: "released" } | { kind: "estimated" } | { kind: "counted"; usage: RecordedUsage };

/** The settlement of a call with this reading. */
export function settlementOf(reading: {
  kind: "answer" | "broken" | "refused" | "foreign";
  usage?: RecordedUsage | null;
}): Settlement {
  if (reading.kind === "refused" || reading.kind === "foreign") {
    return { kind: "released" };
  }
  return reading.usage ? { kind: "counted", usage: reading.usage } : { kind: "estimated" };
}

/** Checks that every call so far has one entry, and that the newest one matches the recording. */
export async function checkLedger(stage: Stage, settlement: Settlement): Promise<void> {
  const { gateway, accountId, calls } = stage;
  // A refusal does not wait for its release.
  await eventually(async () => (await gateway.entries(accountId)).length).toBe(calls);
  expect(await gateway.balance(accountId)).toMatchObject({ frozen: 0n });
  const entry = (await gateway.entries(accountId))[0];
  if (settlement.kind === "released") {
    expect(entry).toMatchObject({ kind: "release", usageSource: null });
    expect(await gateway.balance(accountId)).toMatchObject({ used: 0n });
    return;
  }
  const cacheRead = Number(entry?.cacheReadTokens);
  const [cacheWrite, cacheWrite1h] = [Number(entry?.cacheWriteTokens), Number(entry?.cacheWrite1hTokens)];
  const charged = {
    prompt: Number(entry?.inputTokens) + cacheRead + cacheWrite + cacheWrite1h,
    cacheRead,
    cacheWrite,
    cacheWrite1h,
    completion: Number(entry?.outputTokens),
    reasoning: Number(entry?.reasoningTokens),
  };
  if (settlement.kind === "counted") {
    const { prompt, reasoning, ...usage } = settlement.usage;
    const usageSource = prompt === null ? "partial" : "upstream";
    expect(entry).toMatchObject({ kind: "capture", usageSource });
    const unsaid = { prompt: prompt ?? charged.prompt, reasoning: reasoning ?? charged.reasoning };
    expect(charged, "charged").toEqual({ ...usage, ...unsaid });
    expect(charged.prompt).toBeGreaterThan(0);
    return;
  }
  expect(entry).toMatchObject({ kind: "capture", usageSource: "estimated" });
  expect(charged.prompt).toBeGreaterThan(0);
  expect(charged.completion).toBeGreaterThan(0);
}
