import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { perFile } from "@/tests/support/per-file";
import { type Answer, sendJson, startUpstream } from "@/tests/support/upstream";
import { type Json, oneVideoPrice } from "@/tests/support/video-client";
import { pollUntil, startVendorShop } from "@/tests/support/video-shop";

/** What an account at the vendor has; both halves are long enough to be cut out of its words. */
const ACCESS = "AKx7Qp2mN4";
const SECRET = "SKz9Rt5vB8";
const PAIR = `${ACCESS}:${SECRET}`;

const shop = perFile(startVendorShop);
const upstream = perFile(() => startUpstream((_asked, response) => sendJson(response, 200, {})));

const root = (name: string) => `${upstream.baseUrl.replace("/v1", "")}/${name}`;
const refuse =
  (code: number, status: number, message = "no"): Answer =>
  (_asked, response) =>
    sendJson(response, status, { code, message, request_id: "r" });

/** A vendor's record of the tasks that it took, each named after ours. */
function vendor(record: Json = { task_status: "processing" }): Answer {
  return ({ path, body }, response) => {
    const ours = String(body.external_task_id ?? path.split("/").at(-1)).replace(/^v-/, "");
    const task_info = { external_task_id: ours };
    const data = { task_id: `v-${ours}`, task_status: "submitted", task_info };
    const isLook = !path.endsWith("/text2video");
    sendJson(response, 200, { code: 0, message: "SUCCEED", data: { ...data, ...(isLook && record) } });
  };
}

async function model(names = ["kling"], secrets = [PAIR]): Promise<string> {
  const id = await shop.model({ kind: "video", videoPrices: oneVideoPrice("0.5") });
  for (const [index, name] of names.entries()) {
    await shop.channel({
      model: id,
      dialect: "kling",
      baseUrl: root(`${id}/${name}`),
      secrets,
      priority: -index,
    });
  }
  return id;
}

const asked = (from: number) => upstream.asked.slice(from);
const slugOf = (response: Response) => response.headers.get("x-error-code");
const videoOf = (modelId: string) => ({ model: modelId, prompt: "a cat" });

function claimsOf(authorization = ""): { iss: string; exp: number; nbf: number } {
  const [head = "", claims = "", signature] = authorization.replace("Bearer ", "").split(".");
  expect(signature).toBe(createHmac("sha256", SECRET).update(`${head}.${claims}`).digest("base64url"));
  return JSON.parse(Buffer.from(claims, "base64url").toString("utf8"));
}

test("a video is ordered, looked at with a signed token each time, delivered and charged once", async () => {
  const id = await model();
  const { secret, accountId } = await shop.customer();
  upstream.answer(vendor());
  const from = upstream.asked.length;
  const taskId = await shop.begin(secret, { ...videoOf(id), resolution: "720p", aspect_ratio: "9:16" });
  expect(asked(from)[0]).toMatchObject({
    path: `/${id}/kling/v1/videos/text2video`,
    body: {
      model_name: id,
      prompt: "a cat",
      mode: "std",
      duration: "5",
      aspect_ratio: "9:16",
      external_task_id: taskId,
    },
  });
  const url = "https://kwimgs.test/v.mp4";
  upstream.answer(vendor({ task_status: "succeed", task_result: { videos: [{ url }] } }));
  await shop.pass();
  expect(await pollUntil(shop, { secret, taskId, status: "completed" })).toMatchObject({ video_url: url });
  for (const { headers, path } of asked(from)) {
    const { iss, exp, nbf } = claimsOf(headers.authorization);
    expect([iss, exp - nbf]).toEqual([ACCESS, 1_805]);
    expect(`${headers.authorization} ${path}`).not.toContain(SECRET);
  }
  expect(asked(from).at(-1)?.path).toBe(`/${id}/kling/v1/videos/text2video/v-${taskId}`);
  expect(await shop.balance(accountId)).toMatchObject({ used: 500_000_000n, frozen: 0n });
  expect(await shop.entries(accountId)).toHaveLength(1);
});

describe("a channel that is refused", () => {
  test.each([
    [1303, 429, "too many tasks at a time"],
    [1302, 429, "too many calls"],
    [1102, 429, "an empty package, which is no load (1102)"],
    [1000, 401, "a key that is none"],
    [1303, 200, "an error that says 200"],
  ])("with %d and status %d, %s: the next one makes the video", async (code, status) => {
    const id = await model(["full", "free"]);
    const { secret, accountId } = await shop.customer();
    const from = upstream.asked.length;
    upstream.answer((call, response, request) =>
      (call.path.includes("/full/") ? refuse(code, status) : vendor())(call, response, request),
    );
    await shop.begin(secret, videoOf(id));
    expect(asked(from).map(({ path }) => path.split("/")[2])).toEqual(["full", "free"]);
    expect(await shop.balance(accountId)).toMatchObject({ frozen: 500_000_000n });
  });

  test("by all: 502, and nothing stays frozen", async () => {
    const id = await model();
    const { secret, accountId } = await shop.customer();
    upstream.answer(refuse(1303, 429));
    const refused = await shop.submit(secret, videoOf(id));
    expect([refused.status, slugOf(refused)]).toEqual([502, "upstreams_unavailable"]);
    expect(await shop.balance(accountId)).toMatchObject({ used: 0n, frozen: 0n });
  });
});

test("what its rules forbid is a 400 in its words, without the keys that it may know", async () => {
  const id = await model(["one", "two"]);
  const { secret, accountId } = await shop.customer();
  const from = upstream.asked.length;
  upstream.answer((call, response, request) => {
    const token = String(call.headers.authorization).replace("Bearer ", "");
    return refuse(1301, 400, `risk ${ACCESS} ${SECRET} ${token}`)(call, response, request);
  });
  const refused = await shop.submit(secret, videoOf(id));
  expect([refused.status, slugOf(refused)]).toEqual([400, "upstream_rejected"]);
  const words = JSON.stringify(await refused.json());
  expect(words).toContain("1301 risk");
  expect(words).not.toMatch(new RegExp(`${ACCESS}|${SECRET}|eyJ`));
  expect(asked(from)).toHaveLength(1);
  expect(await shop.balance(accountId)).toMatchObject({ used: 0n, frozen: 0n });
});

test("an order whose answer is lost is found by our identifier, and never sent again", async () => {
  const id = await model();
  const { secret, accountId } = await shop.customer();
  upstream.answer((_call, response) => void response.destroy());
  const from = upstream.asked.length;
  const taskId = await shop.begin(secret, videoOf(id));
  upstream.answer(vendor());
  await shop.pass();
  const own = () => asked(from).filter(({ path }) => path.startsWith(`/${id}/`));
  expect(own().map(({ path }) => path.split("/text2video").at(-1))).toEqual(["", `/${taskId}`]);
  const url = "https://kwimgs.test/found.mp4";
  upstream.answer(vendor({ task_status: "succeed", task_result: { videos: [{ url }] } }));
  await shop.pass();
  expect(await pollUntil(shop, { secret, taskId, status: "completed" })).toMatchObject({ video_url: url });
  expect(own().filter(({ raw }) => raw !== "")).toHaveLength(1);
  expect(await shop.balance(accountId)).toMatchObject({ used: 500_000_000n, frozen: 0n });
});

test("a failure costs nothing, and neither 429 nor a code ends a task that runs", async () => {
  const id = await model();
  const { secret, accountId } = await shop.customer();
  upstream.answer(vendor());
  const taskId = await shop.begin(secret, videoOf(id));
  upstream.answer(refuse(1303, 429));
  await shop.pass();
  expect(await (await shop.status(secret, taskId)).json()).toMatchObject({ status: "processing" });
  upstream.answer(
    vendor({ task_status: "failed", task_status_msg: "Failure to pass the risk control system" }),
  );
  await shop.pass(60_000);
  expect(await pollUntil(shop, { secret, taskId, status: "failed" })).toMatchObject({
    error: { code: "content_policy", message: "Failure to pass the risk control system" },
  });
  expect(await shop.balance(accountId)).toMatchObject({ used: 0n, frozen: 0n });
});

test("a shape that it has no mode or ratio for is a 400 before anybody is asked", async () => {
  const id = await model();
  const { secret } = await shop.customer();
  const from = upstream.asked.length;
  const refused = await shop.submit(secret, { ...videoOf(id), aspect_ratio: "4:3" });
  expect([refused.status, slugOf(refused)]).toEqual([400, "invalid_parameters"]);
  expect(asked(from)).toHaveLength(0);
});

test("a channel of Kling takes pairs only: a key alone is refused before it is stored", async () => {
  await expect(model(["half"], [ACCESS])).rejects.toMatchObject({ reason: "credentialPair" });
});
