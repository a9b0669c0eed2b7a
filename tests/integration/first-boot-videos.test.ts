import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { formatMoney } from "@/server/base/money";
import { listModels } from "@/server/catalog";
import { getChannelByNameOrId, listChannels } from "@/server/channels";
import { firstBoot } from "@/server/process/first-boot";
import type { TestGateway } from "@/tests/support/gateway";
import { startGateway } from "@/tests/support/gateway";
import { type FakeUpstream, sendJson, startUpstream } from "@/tests/support/upstream";

let gateway: TestGateway;
let vendor: FakeUpstream;

beforeAll(async () => {
  gateway = await startGateway();
  vendor = await startUpstream((asked, response) => {
    const ids = ["qwen-plus", "text-embedding-v4", "wan2.2-t2v-plus", "qwen-image"];
    const isList = asked.path.startsWith("/compatible-mode/v1/models");
    sendJson(response, isList ? 200 : 404, { data: ids.map((id) => ({ id })) });
  });
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

/** The video models, with what each combination costs. */
async function sold(): Promise<Record<string, Record<string, string>>> {
  const models = (await listModels(gateway.runtime.db)).filter((model) => model.kind === "video");
  return Object.fromEntries(
    models.map(({ id, videoPrices }) => [
      id,
      Object.fromEntries(
        videoPrices.map(({ durationSeconds, resolution, price }) => [
          `${durationSeconds}:${resolution}`,
          formatMoney(price),
        ]),
      ),
    ]),
  );
}

const boot = (config: object) =>
  firstBoot({ ...gateway.runtime, config: { ...gateway.runtime.config, ...config } }, () => {});

test("a first start on the embedded database sells the sandbox's videos", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "tollgate-first-"));
  await boot({ DATABASE_URL: undefined, TOLLGATE_DATA_DIR: dataDir });
  await rm(dataDir, { recursive: true });
  expect(await sold()).toEqual({
    "sandbox-video-plus": { "5:1080p": "0.1" },
    "sandbox-video-turbo": { "5:720p": "0.05" },
  });
  const { models } = await getChannelByNameOrId(gateway.runtime.db, "sandbox");
  expect(Object.keys(models)).toEqual(
    expect.arrayContaining(["sandbox-chat", "sandbox-video-plus", "sandbox-video-turbo"]),
  );
});

test("DASHSCOPE_API_KEY adds a channel for videos at list prices, and one for chat, once", async () => {
  const host = new URL(vendor.baseUrl).origin;
  const keyed = { DASHSCOPE_API_KEY: "sk-vendor", DASHSCOPE_BASE_URL: `${host}/`, CURRENCY: "CNY" };
  await boot(keyed);
  const { db } = gateway.runtime;
  expect(await sold()).toMatchObject({
    "wanx2.1-t2v-turbo": { "5:720p": "1.2" },
    "wan2.2-t2v-plus": { "5:1080p": "3.5" },
  });
  expect(await getChannelByNameOrId(db, "dashscope")).toMatchObject({
    dialect: "dashscope",
    vendor: "dashscope-video",
    baseUrl: host,
    models: { "wan2.2-t2v-plus": "wan2.2-t2v-plus", "wanx2.1-t2v-turbo": "wanx2.1-t2v-turbo" },
  });
  const chat = await getChannelByNameOrId(db, "dashscope-chat");
  expect(chat).toMatchObject({ dialect: "openai", baseUrl: `${host}/compatible-mode/v1` });
  expect(Object.keys(chat.models)).toEqual(["qwen-plus", "text-embedding-v4"]);
  expect(vendor.asked.map(({ headers }) => headers.authorization)).toEqual(["Bearer sk-vendor"]);
  const before = await listChannels(db);
  await boot(keyed);
  expect(await listChannels(db)).toEqual(before);
});
