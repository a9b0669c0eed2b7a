import OpenAI from "openai";
import OpenAI6 from "openai-6";
import { describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { collectItems } from "@/tests/support/collect-items";
import { perFile } from "@/tests/support/per-file";
import { answerJson, refuseWith, startUpstream } from "@/tests/support/upstream";
import { type Json, oneVideoPrice, startVideoGateway, turbo } from "@/tests/support/video-client";

const gateway = perFile(() => startVideoGateway());
const upstream = perFile(() => startUpstream(answerJson({})));

const path = (rest = "") => `${gateway.url}/v1/videos${rest}`;
const call = (secret: string, rest = "", init: RequestInit = {}) =>
  fetch(path(rest), { ...init, headers: { authorization: `Bearer ${secret}`, ...init.headers } });
const post = (secret: string, body: unknown, headers = {}) =>
  gateway.post(secret, "videos", body, { headers });
const postForm = (secret: string, fields: Record<string, string | Blob>, headers = {}) => {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    body.append(name, value);
  }
  return call(secret, "", { method: "POST", body, headers });
};
const bodyOf = async (response: Response) => (await response.json()) as Json;
const slugOf = (response: Response) => response.headers.get("x-error-code");

const video = {
  ...{ object: "video", model: turbo.model, prompt: "a cat", seconds: "5", size: "1280x720" },
  ...{ completed_at: null, expires_at: null, error: null, remixed_from_video_id: null },
};

describe.each([
  ["openai 7", OpenAI],
  ["openai 6", OpenAI6],
] as const)("%s", (_name, Client) => {
  test("creates a video, waits for it, downloads it, lists it and deletes it", async () => {
    const { secret, accountId } = await gateway.customer();
    const client = new Client({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 });
    const created = await client.videos.create({ model: turbo.model, prompt: "a cat", size: "1280x720" });
    const begun = { id: expect.stringMatching(/^task_/), created_at: expect.any(Number) };
    expect(created).toEqual({ ...video, ...begun, status: "queued", progress: 0 });
    expect(Math.abs(created.created_at - gateway.clock().getTime() / 1000)).toBeLessThan(60);
    expect(await gateway.balance(accountId)).toMatchObject({ frozen: 50_000_000n });

    await gateway.reach(secret, created.id, "completed");
    const done = await client.videos.retrieve(created.id);
    const completed_at = expect.any(Number);
    expect(done).toEqual({ ...created, status: "completed", progress: 100, completed_at });
    const film = await client.videos.downloadContent(created.id);
    expect(film.headers.get("content-type")).toBe("video/mp4");
    expect((await film.arrayBuffer()).byteLength).toBe(Number(film.headers.get("content-length")));
    expect(await gateway.balance(accountId)).toMatchObject({ used: 50_000_000n, frozen: 0n });

    expect(await collectItems(client.videos.list({ limit: 1 }))).toEqual([done]);
    const { id } = created;
    expect(await client.videos.delete(id)).toEqual({ id, object: "video.deleted", deleted: true });
    await expect(client.videos.retrieve(created.id)).rejects.toMatchObject({ status: 404 });
    await expect(client.videos.remix(created.id, { prompt: "p" })).rejects.toMatchObject({ status: 400 });
    // A deleted video stays paid.
    expect(await gateway.balance(accountId)).toMatchObject({ used: 50_000_000n, frozen: 0n });
    expect((await gateway.entries(accountId)).map(({ kind }) => kind)).toEqual(["capture"]);
  });
});

describe("one task in both APIs", () => {
  test("belongs to its account alone, in this API as in the other", async () => {
    const [owner, stranger] = [await gateway.customer(), await gateway.customer()];
    const id = await gateway.begin(owner.secret, turbo);
    await gateway.reach(owner.secret, id, "completed");
    for (const [rest, method] of [
      [`/${id}`, "GET"],
      [`/${id}`, "DELETE"],
      [`/${id}/content`, "GET"],
    ]) {
      expect((await call(stranger.secret, rest, { method })).status).toBe(403);
      expect((await call("sk-none", rest, { method })).status).toBe(401);
    }
    expect(await bodyOf(await call(stranger.secret))).toMatchObject({
      data: [],
      has_more: false,
      last_id: null,
    });
    expect(slugOf(await call(stranger.secret, `?after=${id}`))).toBe("task_not_found");
    expect((await call(owner.secret, `/${id}`)).status).toBe(200);
    for (const none of [`task_${"0".repeat(32)}`, "no.task"]) {
      expect(slugOf(await call(owner.secret, `/${none}`))).toBe("task_not_found");
    }
  });
});

describe("an order", () => {
  test("takes every duration and size that its model is sold in, in JSON and in a form", async () => {
    const { secret } = await gateway.customer();
    const model = await gateway.model({
      kind: "video",
      videoPrices: [{ durationSeconds: 8, resolution: "1080p", price: nanos(400_000_000n) }],
    });
    await gateway.channel({ model, dialect: "openai-video", baseUrl: upstream.baseUrl });
    const order = { model, prompt: "a dog", seconds: "8", size: "1080x1920" };
    for (const [index, send] of [post, postForm].entries()) {
      upstream.answer(answerJson({ id: `up-${index}` }));
      const made = await send(secret, order);
      expect(await bodyOf(made)).toMatchObject({ seconds: "8", size: "1080x1920" });
      expect(upstream.requests.at(-1)?.body).toEqual(order);
    }
    const { size: _, ...bare } = { model, prompt: "p", seconds: "8", size: "" };
    const unpriced = await post(secret, bare);
    expect([unpriced.status, slugOf(unpriced)]).toEqual([404, "video_not_priced"]);
    expect((await bodyOf(unpriced)).message).toContain("1080p");
  });

  test("is identified by its Idempotency-Key, in a form as in JSON, whatever the form's boundary", async () => {
    const { secret, accountId } = await gateway.customer();
    const key = { "idempotency-key": "one video" };
    const first = await bodyOf(await postForm(secret, { ...turbo, seconds: "5" }, key));
    for (const again of [
      await postForm(secret, { ...turbo, seconds: "5" }, key),
      await post(secret, turbo, key),
    ]) {
      expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
      expect((await bodyOf(again)).id).toBe(first.id);
    }
    expect(slugOf(await post(secret, { ...turbo, prompt: "a dog" }, key))).toBe("idempotency_mismatch");
    expect(await gateway.balance(accountId)).toMatchObject({ frozen: 50_000_000n });
  });
});

describe("a list", () => {
  test("continues after a video, in either direction, and ends", async () => {
    const { secret } = await gateway.customer();
    const ids: string[] = [];
    for (let made = 0; made < 3; made++) {
      ids.push(await gateway.begin(secret, { ...turbo, prompt: "[stall]" }));
    }
    const page = async (query: string) => {
      const body = (await bodyOf(await call(secret, query))) as { data: Json[]; has_more: boolean };
      return [body.data.map(({ id }) => ids.indexOf(String(id))), body.has_more];
    };
    expect(await page("?limit=2")).toEqual([[2, 1], true]);
    expect(await page(`?limit=2&after=${ids[1]}`)).toEqual([[0], false]);
    expect(await page("?order=asc&limit=2")).toEqual([[0, 1], true]);
    expect(await page(`?order=asc&after=${ids[1]}`)).toEqual([[2], false]);
    for (const bad of ["?limit=0", "?limit=101", "?limit=x", "?order=up"]) {
      expect(slugOf(await call(secret, bad))).toBe("invalid_parameters");
    }
  });
});

describe("deleting", () => {
  const remove = (secret: string, id: string) => call(secret, `/${id}`, { method: "DELETE" });

  test("a task that runs cancels it first, and returns its money", async () => {
    const { secret, accountId } = await gateway.customer();
    const id = await gateway.begin(secret, { ...turbo, prompt: "[stall]" });
    expect(await bodyOf(await remove(secret, id))).toEqual({ id, object: "video.deleted", deleted: true });
    expect(await gateway.balance(accountId)).toMatchObject({ used: 0n, frozen: 0n });
    expect(slugOf(await remove(secret, id))).toBe("task_not_found");
  });

  test("a task that its vendor cannot stop is a 409, and changes nothing", async () => {
    const { secret, accountId } = await gateway.customer();
    const model = await gateway.model({ kind: "video", videoPrices: oneVideoPrice("0.5") });
    await gateway.channel({ model, dialect: "xai-video", baseUrl: `${upstream.baseUrl}/stop` });
    upstream.answer(answerJson({ request_id: "r-1" }));
    const id = await gateway.begin(secret, { model, prompt: "p" });
    const refused = await remove(secret, id);
    expect([refused.status, slugOf(refused)]).toEqual([409, "video_in_progress"]);
    expect(refused.headers.get("x-should-retry")).toBe("false");
    upstream.answer(refuseWith(500));
    expect(await bodyOf(await call(secret, `/${id}`))).toMatchObject({ prompt: "p" });
    expect(await gateway.balance(accountId)).toMatchObject({ frozen: 500_000_000n });
  });

  test("a video removes its prompt and its file, in both APIs and at the file's own address", async () => {
    const { secret, accountId } = await gateway.customer();
    const id = await gateway.begin(secret, { ...turbo, prompt: "a secret cat" });
    const { video_url } = await gateway.reach(secret, id, "completed");
    await remove(secret, id);
    expect((await gateway.status(secret, id)).status).toBe(404);
    for (const address of [String(video_url), path(`/${id}/content`), path(`/generations/${id}/content`)]) {
      const gone = await fetch(address, address === video_url ? {} : { headers: { "x-api-key": secret } });
      expect(gone.status).toBe(404);
    }
    expect(await bodyOf(await call(secret))).toMatchObject({ data: [] });
    const [task] = (await gateway.runtime.videos.list({ accountId }, { limit: 1 })).rows;
    expect(task).toMatchObject({ id, prompt: "", videoUrl: null, state: "completed" });
    expect(await gateway.verify()).toEqual([]);
  });
});

test("variants of a video and changes of one are refused by name", async () => {
  const { secret } = await gateway.customer();
  const id = await gateway.begin(secret, turbo);
  await gateway.reach(secret, id, "completed");
  expect((await call(secret, `/${id}/content?variant=video`)).status).toBe(200);
  for (const variant of ["thumbnail", "spritesheet"]) {
    const refused = await call(secret, `/${id}/content?variant=${variant}`);
    expect([refused.status, slugOf(refused)]).toEqual([400, "invalid_parameters"]);
    expect((await bodyOf(refused)).message).toContain("variant");
  }
  for (const edit of [`/${id}/remix`, "/edits", "/extensions", "/characters"]) {
    const refused = await call(secret, edit, { method: "POST", body: new FormData() });
    expect([refused.status, slugOf(refused)]).toEqual([400, "invalid_parameters"]);
    expect((await bodyOf(refused)).message).toContain(edit.split("/").at(-1));
  }
});
