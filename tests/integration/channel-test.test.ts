import { describe, expect, test } from "vitest";
import { setChannelEnabled, updateChannel } from "@/server/channels";
import { echoing, stagedChannels } from "@/tests/support/channel-room";
import { speakGemini } from "@/tests/support/gemini-upstream";
import { answerMessageWith } from "@/tests/support/messages-answer";
import { answerResponseWith, responseUsage } from "@/tests/support/responses-answer";
import { answerWith, refuseWith, sendJson, usage } from "@/tests/support/upstream";

const { room, start, stage } = stagedChannels();

describe("the test of a channel", () => {
  test("calls a disabled channel with the model and the credential that the operator chose", async () => {
    const { fake, channel } = await stage(answerWith("pong", usage(7, 3)), [
      "sk-number-0001",
      "sk-number-0002",
    ]);
    const models = { "public-a": "upstream-a", "public-b": "upstream-b" };
    const edited = await updateChannel(room.db, { channelId: channel.id, models }, room.vault);
    await setChannelEnabled(room.db, { channelId: channel.id, isEnabled: false });
    expect(await room.channels.test(edited, { modelId: "public-b", credential: 1 })).toEqual({
      ...{ ok: true, status: 200, latencyMs: expect.any(Number), message: "ok", modelId: "public-b" },
      ...{ upstreamName: "upstream-b", usage: { inputTokens: 7, outputTokens: 3 }, isStream: true },
    });
    expect(fake.requests).toMatchObject([
      { body: { model: "upstream-b", stream: true }, headers: { authorization: "Bearer sk-number-0002" } },
    ]);
  });

  test("asks an upstream of the Responses dialect in that dialect", async () => {
    const fake = await start(answerResponseWith("pong", responseUsage(6, 2)));
    const models = { public: "gpt-x" };
    const channel = await room.add({ dialect: "openai-responses", baseUrl: fake.baseUrl, models });
    expect(await room.channels.test(channel)).toMatchObject({
      ok: true,
      usage: { inputTokens: 6, outputTokens: 2 },
      isStream: true,
    });
    expect(fake.requests).toMatchObject([
      { path: "/v1/responses", body: { model: "gpt-x", input: "ping", stream: true, store: false } },
    ]);
  });

  test("asks an upstream of Google's dialect at the model's address", async () => {
    const fake = await start(speakGemini({ turns: [{ text: "pong" }] }));
    const models = { public: "gemini-x" };
    const channel = await room.add({ dialect: "gemini", baseUrl: fake.baseUrl, models });
    expect(await room.channels.test(channel)).toMatchObject({ ok: true, message: "ok", isStream: true });
    expect(fake.requests.map(({ path }) => path)).toEqual([
      expect.stringMatching(/\/models\/gemini-x:streamGenerateContent\?alt=sse$/),
    ]);
  });

  test("reports what the upstream said about a failure, without the credential", async () => {
    const { channel } = await stage(echoing(401));
    const expected = { ok: false, status: 401, message: "you sent Bearer …", usage: null };
    expect(await room.channels.test(channel)).toMatchObject(expected);
  });

  test("reports no status if nothing listens at the address", async () => {
    const unreachable = await room.add({ baseUrl: "http://127.0.0.1:9/v1" });
    expect(await room.channels.test(unreachable)).toMatchObject({ ok: false, status: null });
  });

  test("calls by the catalog's kind, not by the model's name", async () => {
    const { fake, channel } = await stage((_asked, response) =>
      sendJson(response, 200, { data: [{ index: 0, embedding: [0.5] }], usage: { prompt_tokens: 2 } }),
    );
    expect(await room.channels.test(channel, { kind: "embedding" })).toMatchObject({
      ok: true,
      usage: { inputTokens: 2, outputTokens: 0 },
      isStream: false,
    });
    expect(fake.requests.at(-1)?.path).toBe("/v1/embeddings");
  });

  test("tests a video model without buying a video, and fails where the channel makes none", async () => {
    const models = { film: "sandbox-video" };
    const sandbox = await room.add({ dialect: "sandbox", baseUrl: "sandbox:", models });
    expect(await room.channels.test(sandbox, { kind: "video" })).toMatchObject({
      ok: true,
      status: null,
      message: expect.stringContaining("no video was bought"),
    });
    const { fake, channel } = await stage(answerWith("ok"));
    expect(await room.channels.test(channel, { kind: "video" })).toMatchObject({
      ok: false,
      message: expect.stringContaining("no videos"),
    });
    expect(fake.requests).toEqual([]);
  });

  test.each(["openai-video", "dashscope", "ark", "xai-video"] as const)(
    "tests a channel of %s with its credential, by asking for a task that does not exist",
    async (dialect) => {
      const fake = await start(refuseWith(404));
      const channel = await room.add({
        dialect,
        baseUrl: fake.baseUrl,
        models: { film: "film" },
        secrets: ["s"],
      });
      const ask = () => room.channels.test(channel, { kind: "video" });
      expect(await ask()).toMatchObject({
        ok: true,
        message: expect.stringContaining("no video was bought"),
      });
      expect(fake.requests.map(({ raw, headers }) => [raw, headers.authorization])).toEqual([
        ["", "Bearer s"],
      ]);
      fake.answer(refuseWith(401, "your key is old"));
      expect(await ask()).toMatchObject({ ok: false, message: expect.stringContaining("your key is old") });
      fake.answer((_asked, response) => sendJson(response, 200, { hello: "there" }));
      expect(await ask()).toMatchObject({ ok: false });
    },
  );

  test("refuses a model or a credential that the channel does not have", async () => {
    const { channel } = await stage(answerWith("ok"));
    await expect(room.channels.test(channel, { modelId: "other" })).rejects.toThrow("other");
    await expect(room.channels.test(channel, { credential: 1 })).rejects.toThrow("credential 1");
  });

  test("tests a draft as it would be stored, and stores nothing", async () => {
    const fake = await start(answerMessageWith("pong", { input_tokens: 4, output_tokens: 2 }));
    const draft = {
      name: "a draft",
      dialect: "anthropic" as const,
      // Storing it would add the version.
      baseUrl: new URL(fake.baseUrl).origin,
      secrets: [" sk-draft-secret-1234 "],
      models: { public: "claude-haiku-4-5" },
    };
    expect(await room.channels.testDraft(draft)).toMatchObject({
      ...{ ok: true, modelId: "public", upstreamName: "claude-haiku-4-5" },
      usage: { inputTokens: 4, outputTokens: 2 },
    });
    expect(fake.requests).toMatchObject([
      { path: "/v1/messages", headers: { "x-api-key": "sk-draft-secret-1234" } },
    ]);
    await expect(room.channels.testDraft({ ...draft, secrets: [] })).rejects.toThrow();
    await expect(room.channels.testDraft({ ...draft, baseUrl: "nowhere" })).rejects.toThrow("nowhere");
  });
});
