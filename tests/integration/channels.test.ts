import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Channel, removeChannel, setChannelEnabled, updateChannel } from "@/server/channels";
import { type ChannelRoom, openChannelRoom } from "@/tests/support/channel-room";
import { answerMessageWith } from "@/tests/support/messages-answer";
import {
  type Answer,
  answerWith,
  type FakeUpstream,
  refuseWith,
  sendJson,
  sseChunk,
  startUpstream,
  usage,
} from "@/tests/support/upstream";

let room: ChannelRoom;
const fakes: FakeUpstream[] = [];

beforeAll(async () => {
  room = await openChannelRoom();
});
afterAll(async () => {
  await room.close();
  await Promise.all(fakes.map((fake) => fake.close()));
});

const start = async (answer: Answer) => {
  const fake = await startUpstream(answer);
  fakes.push(fake);
  return fake;
};

let serial = 0;
/** A channel that alone serves a model of its own. */
async function stage(answer: Answer, secrets = ["sk-upstream-secret-9876"]) {
  const fake = await start(answer);
  const model = `model-${serial++}`;
  const channel = await room.add({ baseUrl: fake.baseUrl, secrets, models: { [model]: "upstream-name" } });
  return { fake, model, channel };
}

const healthOf = async ({ id }: Channel) =>
  (await room.channels.health()).filter(({ channelId }) => channelId === id);

/** Calls it until its breaker opens. */
async function breakDown(model: string, channel: Channel) {
  for (let calls = 0; calls < 5; calls++) {
    expect(await room.call(model)).not.toBe("ok");
  }
  expect(await healthOf(channel)).toMatchObject([{ state: "open", attempts: 5, oks: 0 }]);
}

/** The upstream gives back what it was asked with. */
const echoing =
  (status: number): Answer =>
  (asked, response) =>
    sendJson(response, status, { error: { message: `you sent ${asked.headers.authorization}` } });

describe("what an operator sees of a channel's health", () => {
  test("five faults open the breaker, with the upstream's last words; a probe that works closes it", {
    timeout: 30_000,
  }, async () => {
    const { fake, model, channel } = await stage(refuseWith(503, "under repair"));
    const before = Date.now();
    await breakDown(model, channel);
    const [broken] = await healthOf(channel);
    expect(broken).toMatchObject({
      operation: "chat",
      lastFault: { reason: "refused", status: 503, message: "503 under repair", at: expect.any(Date) },
      lastOkAt: null,
      restingCredentials: [],
    });
    expect(broken?.lastFault?.at.getTime()).toBeGreaterThanOrEqual(before);

    fake.answer(answerWith("ok"));
    await expect
      .poll(async () => (await healthOf(channel))[0]?.state, { timeout: 15_000, interval: 250 })
      .toBe("half_open");
    expect(await room.call(model)).toBe("ok");
    expect(await healthOf(channel)).toMatchObject([
      { state: "closed", attempts: 6, oks: 1, lastOkAt: expect.any(Date) },
    ]);
  });

  test("a credential that was refused is named by its place, with the moment until which it rests", async () => {
    const { model, channel } = await stage(
      (asked, response, request) => {
        const answer = asked.headers.authorization?.endsWith("good-0002")
          ? answerWith("ok")
          : refuseWith(401);
        return answer(asked, response, request);
      },
      ["sk-refused-0001", "sk-good-0002"],
    );
    const before = Date.now();
    await expect
      .poll(async () => {
        expect(await room.call(model)).toBe("ok");
        return (await healthOf(channel))[0]?.restingCredentials;
      })
      .toEqual([{ index: 0, untilMs: expect.any(Number) }]);
    const [rest] = (await healthOf(channel))[0]?.restingCredentials ?? [];
    expect(rest?.untilMs).toBeGreaterThan(before + 59_000);
    expect(rest?.untilMs).toBeLessThan(Date.now() + 61_000);
  });

  test("calls that are the client's fault say nothing of it", async () => {
    const { model, channel } = await stage(refuseWith(400, "bad tools"));
    expect(await room.call(model)).toContain("bad tools");
    expect(await healthOf(channel)).toMatchObject([{ state: "closed", attempts: 0, lastFault: null }]);
  });

  test("a credential that the upstream echoes is in none of its words", async () => {
    const { fake, model, channel } = await stage(echoing(403));
    await room.call(model);
    expect((await healthOf(channel))[0]?.lastFault?.message).toBe("403 you sent Bearer …");
    fake.answer(echoing(400));
    expect(await room.call(model)).toMatch(/you sent Bearer …$/);
    expect(JSON.stringify(await room.channels.health())).not.toContain("sk-upstream");
  });

  test("a removed channel leaves nothing behind", async () => {
    const { model, channel } = await stage(answerWith("ok"));
    expect(await room.call(model)).toBe("ok");
    expect(await healthOf(channel)).toHaveLength(1);
    await removeChannel(room.db.orm, channel.id);
    expect(await healthOf(channel)).toEqual([]);
  });
});

describe("a changed channel starts anew", () => {
  const changes: Record<string, (channel: Channel) => Promise<unknown>> = {
    "another credential": (channel) =>
      updateChannel(
        room.db.orm,
        { channelId: channel.id, secrets: [{ secret: "sk-another-secret-1234" }] },
        room.vault,
      ),
    "other models": (channel) =>
      updateChannel(room.db.orm, { channelId: channel.id, models: channel.models }, room.vault),
    "enabled again": async (channel) => {
      await setChannelEnabled(room.db.orm, { channel: channel.id, isEnabled: false });
      await setChannelEnabled(room.db.orm, { channel: channel.id, isEnabled: true });
    },
  };
  test.each(Object.entries(changes))("%s: the breaker is closed", async (_name, change) => {
    const { fake, model, channel } = await stage(refuseWith(500));
    await breakDown(model, channel);
    fake.answer(answerWith("ok"));
    expect(await room.call(model)).not.toBe("ok");
    await change(channel);
    expect(await healthOf(channel)).toEqual([]);
    expect(await room.call(model)).toBe("ok");
    expect(await healthOf(channel)).toMatchObject([{ state: "closed", attempts: 1, oks: 1 }]);
  });

  test("a new credential does not rest for what the old one did", async () => {
    const { fake, model, channel } = await stage(refuseWith(401));
    await room.call(model);
    expect((await healthOf(channel))[0]?.restingCredentials).toHaveLength(1);
    fake.answer(answerWith("ok"));
    const secrets = [{ secret: "sk-another-secret-1234" }];
    await updateChannel(room.db.orm, { channelId: channel.id, secrets }, room.vault);
    expect(await room.call(model)).toBe("ok");
    expect((await healthOf(channel))[0]?.restingCredentials).toEqual([]);
  });

  test("others keep their health", async () => {
    const broken = await stage(refuseWith(500));
    await breakDown(broken.model, broken.channel);
    const { channel } = await stage(answerWith("ok"));
    await updateChannel(room.db.orm, { channelId: channel.id, weight: 2 }, room.vault);
    expect(await room.call(broken.model)).not.toBe("ok");
    expect(await healthOf(broken.channel)).toMatchObject([{ state: "open", attempts: 5 }]);
  });
});

describe("the test of a channel", () => {
  test("a disabled channel is tested, with the model and the credential that the operator chose", async () => {
    const { fake, channel } = await stage(answerWith("pong", usage(7, 3)), [
      "sk-number-0001",
      "sk-number-0002",
    ]);
    const models = { "public-a": "upstream-a", "public-b": "upstream-b" };
    const edited = await updateChannel(room.db.orm, { channelId: channel.id, models }, room.vault);
    await setChannelEnabled(room.db.orm, { channel: channel.id, isEnabled: false });
    expect(await room.channels.test(edited, { modelId: "public-b", credential: 1 })).toEqual({
      ok: true,
      status: 200,
      latencyMs: expect.any(Number),
      message: "ok",
      modelId: "public-b",
      upstreamName: "upstream-b",
      usage: { inputTokens: 7, outputTokens: 3 },
      isStream: true,
    });
    expect(fake.asked).toMatchObject([
      { body: { model: "upstream-b", stream: true }, headers: { authorization: "Bearer sk-number-0002" } },
    ]);
  });

  test("an upstream that counts whole answers and no streams is found out, by one call", async () => {
    const { fake, channel } = await stage((asked, response, request) => {
      if (asked.body.stream !== true) {
        return answerWith("pong", usage(7, 3))(asked, response, request);
      }
      const chunk = { id: "c", choices: [{ index: 0, delta: { content: "pong" }, finish_reason: "stop" }] };
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`${sseChunk(chunk)}data: [DONE]\n\n`);
    });
    expect(await room.channels.test(channel)).toMatchObject({ ok: true, isStream: true, usage: null });
    expect(fake.asked).toHaveLength(1);
  });

  const head = { id: "c", choices: [{ index: 0, delta: { content: "po" }, finish_reason: null }] };
  const faults = {
    "a whole answer where a stream was asked for": [
      JSON.stringify({ id: "c", choices: [{ message: { content: "pong" }, finish_reason: "stop" }] }),
      "not a stream of its dialect",
    ],
    "a stream that breaks off": [sseChunk(head), "without a finish reason"],
    "a stream that ends with an error": [
      sseChunk(head) + sseChunk({ error: { message: "no memory left" } }),
      "no memory left",
    ],
  } as const;
  test.each(Object.entries(faults))("%s is no success", async (_name, [text, words]) => {
    const { channel } = await stage((_asked, response) => void response.writeHead(200).end(text));
    expect(await room.channels.test(channel)).toMatchObject({
      ok: false,
      status: 200,
      message: expect.stringContaining(words),
    });
  });

  test("a failure says what the upstream said, without the credential", async () => {
    const { channel } = await stage(echoing(401));
    expect(await room.channels.test(channel)).toMatchObject({
      ok: false,
      status: 401,
      message: "you sent Bearer …",
      usage: null,
    });
  });

  test("a web page is no success, and nobody at all is no status", async () => {
    const { channel } = await stage((_asked, response) => void response.writeHead(200).end("<html>hello"));
    expect(await room.channels.test(channel)).toMatchObject({
      ok: false,
      status: 200,
      message: expect.stringContaining("<html>hello"),
    });
    const nobody = await room.add({ baseUrl: "http://127.0.0.1:9/v1" });
    expect(await room.channels.test(nobody)).toMatchObject({ ok: false, status: null });
  });

  test("the catalog's kind decides what is asked, not the model's name", async () => {
    const { fake, channel } = await stage((_asked, response) =>
      sendJson(response, 200, { data: [{ index: 0, embedding: [0.5] }], usage: { prompt_tokens: 2 } }),
    );
    expect(await room.channels.test(channel, { kind: "embedding" })).toMatchObject({
      ok: true,
      usage: { inputTokens: 2, outputTokens: 0 },
      isStream: false,
    });
    expect(fake.asked.at(-1)?.path).toBe("/v1/embeddings");
  });

  test("a model of videos is tested without buying one, and only where there are videos", async () => {
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
    expect(fake.asked).toEqual([]);
  });

  test("what the channel does not have is refused", async () => {
    const { channel } = await stage(answerWith("ok"));
    await expect(room.channels.test(channel, { modelId: "other" })).rejects.toThrow("other");
    await expect(room.channels.test(channel, { credential: 1 })).rejects.toThrow("credential 1");
  });

  test("a draft is tested as it would be stored, and nothing is stored", async () => {
    const fake = await start(answerMessageWith("pong", { input_tokens: 4, output_tokens: 2 }));
    const draft = {
      name: "a draft",
      dialect: "anthropic" as const,
      // Storing would add the version.
      baseUrl: new URL(fake.baseUrl).origin,
      secrets: [" sk-draft-secret-1234 "],
      models: { public: "claude-haiku-4-5" },
    };
    expect(await room.channels.testDraft(draft)).toMatchObject({
      ok: true,
      modelId: "public",
      upstreamName: "claude-haiku-4-5",
      usage: { inputTokens: 4, outputTokens: 2 },
    });
    expect(fake.asked).toMatchObject([
      { path: "/v1/messages", headers: { "x-api-key": "sk-draft-secret-1234" } },
    ]);
    await expect(room.channels.testDraft({ ...draft, secrets: [] })).rejects.toThrow();
    await expect(room.channels.testDraft({ ...draft, baseUrl: "nowhere" })).rejects.toThrow("nowhere");
  });
});

test("the routes of a model are shown as calls take them, with what is off and what is broken", async () => {
  const model = "explained";
  const models = { [model]: "m" };
  const well = await start(answerWith("ok"));
  const broken = await start(refuseWith(500));
  const first = await room.add({ baseUrl: broken.baseUrl, models, priority: 2 });
  const heavy = await room.add({ baseUrl: well.baseUrl, models, priority: 1, weight: 3 });
  const light = await room.add({
    baseUrl: well.baseUrl,
    models,
    priority: 1,
    weight: 1,
    dialect: "anthropic",
  });
  const off = await room.add({ baseUrl: well.baseUrl, models, priority: 9 });
  await setChannelEnabled(room.db.orm, { channel: off.id, isEnabled: false });
  await expect
    .poll(async () => {
      await room.call(model);
      return (await healthOf(first))[0]?.state;
    })
    .toBe("open");
  expect(await room.channels.explainRoutes(model)).toMatchObject([
    { priority: 2, ways: [{ channelId: first.id, share: 1, state: "open", isEnabled: true }] },
    {
      priority: 1,
      ways: [
        { channelId: heavy.id, share: 0.75, state: "well", canTake: ["chat", "embeddings"] },
        { channelId: light.id, share: 0.25, canTake: ["messages", "countTokens"] },
      ],
    },
    { priority: 9, ways: [{ channelId: off.id, share: 0, isEnabled: false }] },
  ]);
  expect(JSON.stringify(await room.channels.explainRoutes(model))).not.toContain("sk-upstream");
  expect(await room.channels.explainRoutes("nobody serves it")).toEqual([]);
});
