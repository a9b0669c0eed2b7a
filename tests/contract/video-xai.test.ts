import { describe, expect, test } from "vitest";
import { perFile } from "@/tests/support/per-file";
import { type Answer, sendJson, startUpstream } from "@/tests/support/upstream";
import { type Json, oneVideoPrice } from "@/tests/support/video-client";
import { pollUntil, startVendorShop } from "@/tests/support/video-shop";

const KEY = "xai-key-of-the-channel";
const shop = perFile(startVendorShop);
const upstream = perFile(() => startUpstream((_asked, response) => sendJson(response, 200, {})));

let made = 0;
/** Takes every order, and answers a look as told. */
const vendor =
  (look: Answer): Answer =>
  (call, response, request) =>
    call.path.endsWith("/videos/generations")
      ? sendJson(response, 200, { request_id: `req-${++made}` })
      : look(call, response, request);
const says = (status: number, body: Json): Answer =>
  vendor((_call, response) => sendJson(response, status, body));

async function order(): Promise<{ secret: string; taskId: string; accountId: string }> {
  const id = await shop.model({ kind: "video", videoPrices: oneVideoPrice("0.5") });
  await shop.channel({ model: id, dialect: "xai-video", baseUrl: upstream.baseUrl, secrets: [KEY] });
  const { secret, accountId } = await shop.customer();
  return { secret, accountId, taskId: await shop.begin(secret, { model: id, prompt: "a cat" }) };
}

const statusOf = async ({ secret, taskId }: { secret: string; taskId: string }) =>
  (await (await shop.status(secret, taskId)).json()) as Json;
const balanceOf = (accountId: string) => shop.balance(accountId as Parameters<typeof shop.balance>[0]);

test("a video is ordered, looked at, delivered from the vendor's address and charged once", async () => {
  upstream.answer(says(200, { status: "pending", progress: 37 }));
  const from = upstream.asked.length;
  const { accountId, ...task } = await order();
  const [ordered] = upstream.asked.slice(from);
  expect(ordered).toMatchObject({ path: "/v1/videos/generations" });
  expect(ordered?.headers.authorization).toBe(`Bearer ${KEY}`);
  expect(ordered?.body).toEqual({
    model: expect.any(String),
    prompt: "a cat",
    duration: 5,
    aspect_ratio: "16:9",
    resolution: "720p",
  });
  await shop.pass();
  expect(await statusOf(task)).toMatchObject({ status: "processing", progress: 37 });
  const url = "https://vidgen.test/v.mp4?sig=1";
  upstream.answer(says(200, { status: "done", video: { url, duration: 5, respect_moderation: true } }));
  await shop.pass();
  expect(await pollUntil(shop, { ...task, status: "completed" })).toMatchObject({ video_url: url });
  expect(upstream.asked.at(-1)?.path).toMatch(/^\/v1\/videos\/req-\d+$/);
  expect(await balanceOf(accountId)).toMatchObject({ used: 500_000_000n, frozen: 0n });
});

describe("a look that is answered", () => {
  test("with an empty 202 ends nothing, however often (vercel/ai#17308)", async () => {
    upstream.answer(
      vendor((_call, response) => {
        response.writeHead(202);
        response.end();
      }),
    );
    const { accountId, ...task } = await order();
    for (let looks = 0; looks < 5; looks++) {
      await shop.pass();
      expect(await statusOf(task)).toMatchObject({ status: "processing" });
    }
    upstream.answer(says(200, { status: "done", video: { url: "https://vidgen.test/late.mp4" } }));
    await shop.pass();
    expect(await statusOf(task)).toMatchObject({ status: "completed" });
    expect(await balanceOf(accountId)).toMatchObject({ used: 500_000_000n, frozen: 0n });
  });
});
