import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
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
