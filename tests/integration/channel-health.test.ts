import { describe, expect, test } from "vitest";
import { type Channel, removeChannel, setChannelEnabled, updateChannel } from "@/server/channels";
import { echoing, stagedChannels } from "@/tests/support/channel-room";
import { eventually } from "@/tests/support/eventually";
import { answerWith, refuseWith } from "@/tests/support/upstream";

const { room, start, stage } = stagedChannels();

const healthOf = async ({ id }: Channel) =>
  (await room.channels.health()).filter(({ channelId }) => channelId === id);

async function breakDown(model: string, channel: Channel) {
  for (let calls = 0; calls < 5; calls++) {
    expect(await room.call(model)).not.toBe("ok");
  }
  expect(await healthOf(channel)).toMatchObject([{ state: "open", attempts: 5, oks: 0 }]);
}

describe("a channel's health, as operators see it", () => {
  test("names a refused credential by its place, with the end of its cooldown", async () => {
    const { model, channel } = await stage(
      (call, response, request) => {
        const answer = call.headers.authorization?.endsWith("good-0002") ? answerWith("ok") : refuseWith(401);
        return answer(call, response, request);
      },
      ["sk-refused-0001", "sk-good-0002"],
    );
    const before = Date.now();
    await eventually(async () => {
      expect(await room.call(model)).toBe("ok");
      return (await healthOf(channel))[0]?.restingCredentials;
    }).toEqual([{ index: 0, untilMs: expect.any(Number) }]);
    const [rest] = (await healthOf(channel))[0]?.restingCredentials ?? [];
    expect(rest?.untilMs).toBeGreaterThan(before + 59_000);
    expect(rest?.untilMs).toBeLessThan(Date.now() + 61_000);
  });

  test("contains no credential that an upstream echoes", async () => {
    const { fake, model, channel } = await stage(echoing(403));
    await room.call(model);
    expect((await healthOf(channel))[0]?.lastFault?.message).toBe("403 you sent Bearer …");
    fake.answer(echoing(400));
    expect(await room.call(model)).toMatch(/you sent Bearer …$/);
    expect(JSON.stringify(await room.channels.health())).not.toContain("sk-upstream");
  });

  test("has nothing of a removed channel", async () => {
    const { model, channel } = await stage(answerWith("ok"));
    expect(await room.call(model)).toBe("ok");
    expect(await healthOf(channel)).toHaveLength(1);
    await removeChannel(room.db, channel.id);
    expect(await healthOf(channel)).toEqual([]);
  });
});

describe("a changed channel starts with fresh health", () => {
  const changes: Record<string, (channel: Channel) => Promise<unknown>> = {
    "another credential": (channel) =>
      updateChannel(
        room.db,
        { channelId: channel.id, secrets: [{ secret: "sk-another-secret-1234" }] },
        room.vault,
      ),
    "other models": (channel) =>
      updateChannel(room.db, { channelId: channel.id, models: channel.models }, room.vault),
    "enabled again": async (channel) => {
      await setChannelEnabled(room.db, { channelId: channel.id, isEnabled: false });
      await setChannelEnabled(room.db, { channelId: channel.id, isEnabled: true });
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
});

test("the routes of a model are shown in the order of calls, with disabled channels and open breakers", async () => {
  const model = "explained";
  const models = { [model]: "m" };
  const well = await start(answerWith("ok"));
  const broken = await start(refuseWith(500));
  const first = await room.add({ baseUrl: broken.baseUrl, models, priority: 2 });
  const heavy = await room.add({ baseUrl: well.baseUrl, models, priority: 1, weight: 3 });
  const light = await room.add({
    ...{ baseUrl: well.baseUrl, models, priority: 1 },
    ...{ weight: 1, dialect: "anthropic" },
  });
  const off = await room.add({ baseUrl: well.baseUrl, models, priority: 9 });
  await setChannelEnabled(room.db, { channelId: off.id, isEnabled: false });
  for (let calls = 0; calls < 5; calls++) {
    await room.call(model);
  }
  expect(await healthOf(first)).toMatchObject([{ state: "open" }]);
  expect(await room.channels.explainRoutes(model)).toMatchObject([
    { priority: 2, ways: [{ channelId: first.id, share: 1, state: "open", isEnabled: true }] },
    {
      priority: 1,
      ways: [
        {
          channelId: heavy.id,
          share: 0.75,
          state: "well",
          canTake: [
            ...["chat", "embeddings", "images", "imageEdits", "speech"],
            ...["rerank", "moderations", "transcriptions", "translations"],
          ],
        },
        { channelId: light.id, share: 0.25, canTake: ["messages", "countTokens"] },
      ],
    },
    { priority: 9, ways: [{ channelId: off.id, share: 0, isEnabled: false }] },
  ]);
  expect(JSON.stringify(await room.channels.explainRoutes(model))).not.toContain("sk-upstream");
  expect(await room.channels.explainRoutes("nobody serves it")).toEqual([]);
});
