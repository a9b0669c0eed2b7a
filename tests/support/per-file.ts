import { afterAll, beforeAll } from "vitest";
import type { CapabilityOverrides } from "@/server/channels";
import { newModelId, type TestGateway } from "./gateway";
import { sharedGateway } from "./shared-gateway";
import { type FakeUpstream, startUpstream, type UpstreamHandler } from "./upstream";

/** Messages for calls whose text does not matter. */
export const messages = [{ role: "user" as const, content: "hi" }];

/**
 * Starts something before a test file's first test, after the starts above it, and closes it after the last test,
 * before those. Not vitest's `test.extend`, which passes such things to tests as arguments: nearly every file has
 * functions that need them too, and all these would have to become fixtures.
 */
export function perFile<Started extends object>(start: () => Promise<Started>): Started {
  let started: (Started & { close?: () => unknown; stop?: () => unknown }) | undefined;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(async () => {
    for (const end of ["close", "stop"] as const) {
      // A tRPC caller returns a value for every name, and has none of these.
      if (started && end in started) {
        await started[end]?.();
      }
    }
  });
  return new Proxy({} as Started, {
    get: (_, name) => {
      if (!started) {
        throw new Error(`${String(name)} is asked for before the file's tests have begun`);
      }
      return Reflect.get(started, name);
    },
  });
}

type ModelOverrides = Parameters<TestGateway["model"]>[0];
type Channel = {
  dialect?: "anthropic" | "openai-responses";
  upstreamName?: string;
  capabilities?: CapabilityOverrides;
};

export function servedModel(
  { gateway, upstream }: { gateway: TestGateway; upstream: FakeUpstream },
  change: ModelOverrides = {},
  channel: Channel = {},
): string {
  const model = newModelId();
  beforeAll(async () => {
    const { upstreamName = model, capabilities = {}, dialect = "openai" } = channel;
    await gateway.model({ ...change, id: model });
    await gateway.channel({
      ...{ model, dialect, baseUrl: upstream.baseUrl, models: { [model]: upstreamName } },
      capabilities: { [model]: capabilities },
    });
  });
  return model;
}

/** The start of most files: the shared gateway, and an upstream with this answer. */
export const staged = (answer: UpstreamHandler) => ({
  gateway: perFile(sharedGateway),
  upstream: perFile(() => startUpstream(answer)),
});

/** As `staged`, plus a model that the upstream serves. */
export function served(answer: UpstreamHandler, change?: ModelOverrides, channel?: Channel) {
  const stage = staged(answer);
  return { ...stage, model: servedModel(stage, change, channel) };
}

export function sandboxModel(gateway: TestGateway): string {
  const model = newModelId();
  beforeAll(async () => {
    await gateway.model({ id: model });
    await gateway.channel({ model, dialect: "sandbox", baseUrl: "sandbox:" });
  });
  return model;
}

export function fakeUpstreams(): (answer: UpstreamHandler) => Promise<FakeUpstream> {
  const started: FakeUpstream[] = [];
  afterAll(async () => {
    await Promise.all(started.map((upstream) => upstream.close()));
  });
  return async (answer) => {
    const upstream = await startUpstream(answer);
    started.push(upstream);
    return upstream;
  };
}

export { temporaryDirectory } from "./temporary-directory";
