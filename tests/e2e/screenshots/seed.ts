import { type APIRequest, expect } from "@playwright/test";
import postgres, { type Sql } from "postgres";
import { nanos, parseMoney } from "@/server/base/money";
import { verifyLedger } from "@/server/billing";
import { findEmbeddedUrl, openDatabase } from "@/server/db";
import { answerWith, type FakeUpstream, refuseWith, usage } from "@/tests/support/upstream";
import { branded } from "../../support/branded";
import { callerWith } from "../support/gateway";
import { newestRequest, openBrowsers, type People } from "../support/people";
import { type Session, setPassword } from "../support/session";
import { channelTo, sell } from "../support/sold";
import { type Past, type SoldModel, writeHistory } from "./history";

/** Prices per million tokens, and the usual tokens of a call. */
const chatModels = [
  {
    id: "deepseek-chat",
    input: "2",
    output: "8",
    costs: ["1.4", "5.6"],
    inputTokens: 18_000,
    outputTokens: 1_400,
  },
  { id: "qwen3-max", input: "6", output: "24", costs: ["4.2", "20"], inputTokens: 9_000, outputTokens: 900 },
  // Its output is sold below its cost.
  {
    id: "gpt-5-mini",
    input: "1.8",
    output: "14.4",
    costs: ["1.6", "15"],
    inputTokens: 6_000,
    outputTokens: 700,
  },
] as const;
const VIDEO_MODEL = "wan2.2-t2v-plus";

const accounts = [
  { name: "Northwind Labs", quota: "500", callsADay: 110 },
  { name: "星河科技", quota: "2000", callsADay: 260 },
  { name: "Harbor Analytics", quota: "60", callsADay: 40 },
  { name: "Kite Games", quota: "150", callsADay: 6 },
] as const;

const OWNER = { email: "ines@northwind.example", password: "a password for pictures" };

/** The word in brackets tells the sandbox how the task ends; it is removed afterwards. */
const prompts = [
  "A paper boat drifts down a rainy street, low camera, soft morning light",
  "A storm rolls over the bay, time lapse [fail]",
  "A snail crosses a mossy wall, macro [stall]",
  "A lighthouse at dusk, drone shot circling slowly",
];

/** The second group sells one of its models below its cost. */
async function createGroups(operator: Session, { reseller }: { reseller: string }) {
  await operator.prices.createGroup.mutate({ name: "Enterprise", factor: "0.95" });
  const group = await operator.prices.createGroup.mutate({
    ...{ name: "Resellers", factor: "0.9" },
    models: [{ modelId: "deepseek-chat", factor: "0.65" }],
  });
  await operator.accounts.setPriceGroup.mutate({ accountId: reseller, priceGroupId: group.id });
  return group;
}

async function sellAll(operator: Session, upstream: FakeUpstream): Promise<SoldModel[]> {
  for (const { id, input, output } of chatModels) {
    await sell(operator, id, { inputPrice: input, outputPrice: output });
  }
  await operator.prices.create.mutate({
    id: VIDEO_MODEL,
    kind: "video",
    isEnabled: true,
    videoPrices: [{ durationSeconds: 5, resolution: "720p", price: "0.7" }],
  });
  const channel = (name: string, models: string[], more: object = {}) =>
    channelTo(operator, {
      ...{ name, upstream, secrets: ["sk-upstream-4f2a"], priority: 10 },
      models: models.map((modelId) => ({ modelId, upstreamName: modelId, overrides: {} })),
      ...more,
    });
  const deepseek = await channel("DeepSeek", ["deepseek-chat"], { weight: 3 });
  await channel("DeepSeek, second account", ["deepseek-chat"]);
  const qwen = await channel("Model Studio", ["qwen3-max"]);
  const openai = await channel("OpenAI", ["gpt-5-mini"]);
  await channel("Reserve", ["deepseek-chat", "gpt-5-mini"], { priority: 0 });
  await channel("Wan videos", [], {
    dialect: "sandbox",
    baseUrl: "sandbox:",
    models: [{ modelId: VIDEO_MODEL, upstreamName: "sandbox-video-turbo", overrides: {} }],
  });
  const channelIds = [deepseek.id, qwen.id, openai.id];
  const money = (text: string) => parseMoney(text) ?? nanos(0n);
  return await Promise.all(
    chatModels.map(async ({ costs: [input, output], ...model }, index) => {
      const channelId = channelIds[index] ?? branded("");
      const prices = Object.entries({ input, output }).map(([name, price]) => ({ name, price }));
      await operator.prices.setCosts.mutate({ channelId, modelId: model.id, prices });
      return {
        ...{ ...model, channelId, input: money(model.input), output: money(model.output) },
        costs: { input: money(input), output: money(output) },
      };
    }),
  );
}

async function createKeys(session: Session) {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const create = session.keys.create.mutate;
  const production = await create({
    name: "production",
    allowedIps: ["203.0.113.0/24", "203.0.113.24", "2001:db8:10::/48"],
    requestsPerMinute: 600,
  });
  const website = await create({ name: "website", models: ["deepseek-chat", "gpt-5-mini", VIDEO_MODEL] });
  const build = await create({ name: "build server", expiresAt: inDays(30) });
  const laptop = await create({ name: "old laptop" });
  await session.keys.setStatus.mutate({ keyId: laptop.id, status: "disabled" });
  return { production, website, build };
}

/** Management keys of an account and of the installation, and a webhook. */
async function createManagementKeys(session: Session, operator: Session): Promise<void> {
  const expiresAt = new Date(Date.now() + 90 * 86_400_000).toISOString();
  await session.managementKeys.create.mutate({ name: "billing service" });
  await session.webhooks.create.mutate({
    url: "https://ops.northwind.example/hooks/tollgate",
    events: ["quota.threshold", "key.cap_threshold", "video.failed"],
  });
  await session.managementKeys.create.mutate({ name: "dashboard", isReadOnly: true, expiresAt });
  await operator.installationKeys.create.mutate({ accountId: null, name: "sign-up service", expiresAt });
}

async function createAccounts(operator: Session, request: APIRequest): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const [index, { name, quota }] of accounts.entries()) {
    const email = index === 0 ? OWNER.email : `owner-${index}@example.com`;
    const { id, invitation } = await operator.accounts.create.mutate({ name, quota, email });
    if (index === 0) {
      await setPassword(await request.newContext(), { url: invitation?.url ?? "", password: OWNER.password });
    }
    ids.set(name, id);
  }
  return ids;
}

/** Today's traffic, by real calls: the newest requests, videos in every state, a channel with an open breaker. */
async function liveToday(secret: string, upstream: FakeUpstream): Promise<string> {
  const { chat, submitVideo } = callerWith(secret);
  for (const model of ["deepseek-chat", "gpt-5-mini", "deepseek-chat", "no-such-model", "gpt-5-mini"]) {
    await chat(model);
  }
  const taskIds: string[] = [];
  for (const prompt of prompts) {
    taskIds.push(await submitVideo(prompt, VIDEO_MODEL));
  }
  upstream.answer(refuseWith(503, "Service temporarily overloaded, please try again later"));
  await chat("gpt-5-mini");
  return taskIds[0] ?? "";
}

const baseUrls = [
  { name: "DeepSeek", url: "https://api.deepseek.com/v1" },
  { name: "DeepSeek, second account", url: "https://api.deepseek.com/v1" },
  { name: "Model Studio", url: "https://dashscope.aliyuncs.com/compatible-mode/v1" },
  { name: "OpenAI", url: "https://api.openai.com/v1" },
  { name: "Reserve", url: "https://reserve.example/v1" },
];

/** Replaces values that show that this is a test. It sends no notice, so the server continues with the old values. */
const polish = (sql: Sql) =>
  sql.begin(async (transaction) => {
    for (const { name, url } of baseUrls) {
      await transaction`update channels set base_url = ${url} where name = ${name}`;
    }
    const refused = "The prompt was refused by the content filter";
    await transaction`update video_tasks set error_message = ${refused} where error_code = 'content_policy'`;
    await transaction`update video_tasks set prompt = regexp_replace(prompt, ' \\[\\w+\\]$', '')`;
    await transaction`update calls set address = '203.0.113.24'`;
    await transaction`update api_keys set last_address = '203.0.113.24' where last_address is not null`;
    await transaction`update audit_entries set address = '198.51.100.7'`;
  });

/** Fills a fresh server with the data of a month of business. `upstream` is broken afterwards. */
export async function seed(
  operator: Session,
  { request, upstream }: { request: APIRequest; upstream: FakeUpstream },
): Promise<People> {
  const url = findEmbeddedUrl(process.env.E2E_DATA_DIR ?? "");
  if (!url) {
    throw new Error("pictures are taken of a server that was started for them: unset E2E_BASE_URL");
  }
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const models = await sellAll(operator, upstream);
  const accountIds = await createAccounts(operator, request);
  const { session, sessions } = await openBrowsers(operator, request, OWNER);
  const keys = await createKeys(session);
  await createManagementKeys(session, operator);
  const pasts: Past[] = [];
  for (const { name, callsADay } of accounts) {
    const own = name === "Northwind Labs" ? [keys.production.id, keys.website.id, keys.build.id] : null;
    pasts.push({
      accountId: branded(accountIds.get(name) ?? ""),
      keys: own ?? [branded(`key_${pasts.length}`)],
      callsADay,
    });
  }
  await writeHistory(sql, { pasts, models, zone: "Asia/Shanghai" });
  const accountId = accountIds.get("Northwind Labs") ?? "";
  await operator.accounts.topUp.mutate({ accountId, amount: "100", reason: "invoice 2026-118 paid" });
  await operator.accounts.setQuota.mutate({ accountId, quota: "600", reason: "new contract" });
  await operator.accounts.setStatus.mutate({
    accountId: accountIds.get("Kite Games") ?? "",
    status: "disabled",
  });
  const priceGroup = await createGroups(operator, { reseller: accountIds.get("Harbor Analytics") ?? "" });
  upstream.answer(answerWith("All is well.", usage(1_830, 412)));
  const taskId = await liveToday(keys.website.secret, upstream);
  // All tasks end except the stalled one.
  const open = () => sql`select id from video_tasks where state in ('submitting', 'processing')`;
  await expect.poll(async () => (await open()).length, { timeout: 30_000 }).toBe(1);
  await polish(sql);
  await sql.end();
  const database = openDatabase(url);
  const drift = await verifyLedger(database);
  await database.close();
  if (drift.length > 0) {
    throw new Error(`the made-up history does not add up: ${JSON.stringify(drift)}`);
  }
  return {
    sessions,
    accountId,
    accountName: "Northwind Labs",
    keyId: keys.production.id,
    taskId,
    requestId: await newestRequest(session),
    channelId: models[0]?.channelId ?? "",
    paymentId: (await session.payments.create.mutate({ amount: "200" })).id,
    priceGroupId: priceGroup.id,
    priceGroupName: priceGroup.name,
    chatModel: "deepseek-chat",
    videoModel: VIDEO_MODEL,
  };
}
