import { expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { allPages } from "@/tests/support/all-pages";
import { callerFor } from "@/tests/support/console";
import { perFile } from "@/tests/support/per-file";
import { startVideoGateway, turbo } from "@/tests/support/video-client";

const gateway = perFile(() => startVideoGateway());

async function newOwner() {
  const { accountId, secret } = await gateway.customer();
  return { accountId, secret, owner: await callerFor(gateway, { role: "owner", accountId }) };
}

test("a task is shown with its money: frozen while it runs, charged once the video is there", async () => {
  const { owner, secret } = await newOwner();
  const taskId = await gateway.begin(secret, turbo);
  expect(await owner.videos.get({ taskId })).toMatchObject({
    state: "processing",
    price: "0.05",
    money: "frozen",
    videoUrl: null,
    key: { name: "test", lastFour: secret.slice(-4) },
  });
  await gateway.reach(secret, taskId, "completed");
  const ended = await owner.videos.get({ taskId });
  expect(ended).toMatchObject({ state: "completed", progress: 100, money: "charged" });
  const film = await fetch(gateway.url + ended?.videoUrl);
  expect([film.status, film.headers.get("content-type")]).toEqual([200, "video/mp4"]);
});

test("nothing of a row that is not for eyes is in an answer", async () => {
  const { owner, secret } = await newOwner();
  const taskId = await gateway.begin(secret, turbo);
  const operator = await callerFor(gateway, { role: "operator" });
  const seen = JSON.stringify([
    await owner.videos.list({}),
    await operator.allVideos.get({ taskId }),
    await operator.allVideos.list({}),
  ]);
  expect(seen).not.toMatch(/credential|upstreamRef|"v1\.|secret/i);
});

test("pages follow each other without a task twice or left out, those of one millisecond included", async () => {
  const { owner, accountId, secret } = await newOwner();
  const taskId = await gateway.begin(secret, turbo);
  await gateway.reach(secret, taskId, "completed");
  const sql = sqlOf(gateway.runtime.db);
  await sql`
    insert into video_tasks (id, account_id, key_id, model_id, prompt, duration_seconds, resolution, state, price, period,
      created_at, deadline_at)
    select 'task_page' || number || ${accountId}, account_id, key_id, model_id, prompt, duration_seconds, resolution,
      'failed', price, period, '2026-01-01T00:00:00.123Z', deadline_at
    from video_tasks, generate_series(1, 120) as number where id = ${taskId}`;
  const seen = (await allPages((cursor) => owner.videos.list({ cursor }))).map(({ id }) => id);
  expect(seen).toHaveLength(121);
  expect(new Set(seen).size).toBe(121);
  expect(seen[0]).toBe(taskId);
  const failed = await owner.videos.list({ state: "failed" });
  expect(failed.rows.every(({ state }) => state === "failed")).toBe(true);
});
