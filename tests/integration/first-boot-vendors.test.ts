import { expect, test } from "vitest";
import { formatMoney } from "@/server/base/money";
import { isUnpriced, listCatalog } from "@/server/catalog";
import { getChannelByNameOrId, listChannels } from "@/server/channels";
import { byField, fieldsOf } from "@/server/pricing";
import { firstBoot } from "@/server/process/first-boot";
import { startGateway } from "@/tests/support/gateway";
import { perFile, temporaryDirectory } from "@/tests/support/per-file";
import { sendJson, startUpstream } from "@/tests/support/upstream";

const dataDir = temporaryDirectory();
const gateway = perFile(() => startGateway());
const listing = (path: string, ids: string[]) =>
  startUpstream((call, response) =>
    sendJson(response, call.path.startsWith(path) ? 200 : 404, { data: ids.map((id) => ({ id })) }),
  );
const vendor = perFile(() => listing("/v1/models", ["gpt-4.1", "text-embedding-3-small", "gpt-of-tomorrow"]));
const dashscope = perFile(() =>
  listing("/compatible-mode/v1/models", ["qwen-plus", "text-embedding-v4", "wan2.2-t2v-plus", "qwen-image"]),
);

/**
 * A first start with a vendor's key. Returns its output, and each model's prices, or null for a model that is not sold.
 */
async function boot(config: object) {
  const lines: string[] = [];
  const { runtime } = gateway;
  await firstBoot({ ...runtime, config: { ...runtime.config, ...config } }, (line) => void lines.push(line));
  const models = await listCatalog(runtime.db);
  const prices = models.map((model) => {
    const { input, output } = byField(model.prices);
    const shown = `${formatMoney(input)} ${formatMoney(output)} ${model.maxOutputTokens}`;
    return [model.id, isUnpriced(model) ? null : shown];
  });
  return { output: lines.join("\n"), prices: Object.fromEntries(prices) };
}

test("a vendor's key at the first start sells known models at list price, and names the models that are not sold", async () => {
  const { output, prices } = await boot({
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: vendor.baseUrl,
    CURRENCY: "USD",
  });
  expect(prices).toEqual({
    "gpt-4.1": "2 8 32768",
    "text-embedding-3-small": "0.02 0 16384",
    "gpt-of-tomorrow": null,
  });
  expect(output).toContain("Not sold, for want of a price: gpt-of-tomorrow");
});

async function soldVideos(): Promise<Record<string, Record<string, string>>> {
  const models = (await listCatalog(gateway.runtime.db)).filter((model) => model.kind === "video");
  return Object.fromEntries(
    models.map(({ id, prices }) => [
      id,
      Object.fromEntries(
        fieldsOf(prices).videoPrices.map(({ durationSeconds, resolution, price }) => [
          `${durationSeconds}:${resolution}`,
          formatMoney(price),
        ]),
      ),
    ]),
  );
}

test("a first start on the embedded database sells the sandbox's videos", async () => {
  await boot({ DATABASE_URL: undefined, TOLLGATE_DATA_DIR: dataDir });
  expect(await soldVideos()).toEqual({
    "sandbox-video-plus": { "5:1080p": "0.1" },
    "sandbox-video-turbo": { "5:720p": "0.05" },
  });
  const { models } = await getChannelByNameOrId(gateway.runtime.db, "sandbox");
  expect(Object.keys(models)).toEqual(
    expect.arrayContaining(["sandbox-chat", "sandbox-video-plus", "sandbox-video-turbo"]),
  );
});

test("DASHSCOPE_API_KEY adds a channel for videos at list prices, and one for chat, once", async () => {
  const host = new URL(dashscope.baseUrl).origin;
  const keyed = { DASHSCOPE_API_KEY: "sk-vendor", DASHSCOPE_BASE_URL: `${host}/`, CURRENCY: "CNY" };
  await boot(keyed);
  const { db } = gateway.runtime;
  expect(await soldVideos()).toMatchObject({
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
  expect(dashscope.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer sk-vendor"]);
  const before = await listChannels(db);
  await boot(keyed);
  expect(await listChannels(db)).toEqual(before);
});
