import { afterEach, expect, test, vi } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { until } from "@/tests/support/until";
import { answerWith, startUpstream } from "@/tests/support/upstream";
import { startVideoGateway, turbo } from "@/tests/support/video-client";
import { advancingTime } from "@/tests/support/virtual-clock";

const YEAR_MS = 366 * 86_400_000;

const upstream = perFile(() => startUpstream(answerWith("hi")));
afterEach(() => vi.useRealTimers());

test("a server whose clock is a year ahead deletes nothing that is still needed, and ends and delays no video", async () => {
  const right = await startVideoGateway();
  const { databaseUrl } = right;
  const model = await right.model();
  await right.channel({ model, baseUrl: upstream.baseUrl });
  const { secret } = await right.customer();
  expect((await right.post(secret, "responses", { model, input: "hi", store: true })).status).toBe(200);
  const order = { ...turbo, prompt: "a cat [stall]" };
  const submitted = await right.submit(secret, order, { "idempotency-key": "once" });
  const { id } = (await submitted.json()) as { id: string };
  await right.close();

  const time = advancingTime();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + YEAR_MS });
  const wrong = await startGateway({ databaseUrl, timers: time.timers });
  const passes = async () => await wrong.runtime.metrics.registry.metrics();
  // The first passes of all loops, however long their pauses are.
  time.advance(10_000);
  await until(async () => /^tollgate_loop_last_success.*loop="sweep"\} [1-9]/m.test(await passes()));
  const asked = await fetch(`${wrong.url}/v1/videos/generations/${id}`, { headers: { "x-api-key": secret } });
  expect([asked.status, ((await asked.json()) as { status: string }).status]).toEqual([200, "processing"]);
  // Waits for the passes under way.
  await wrong.close();
  vi.useRealTimers();

  const again = await startGateway({ databaseUrl });
  const [kept] = await sqlOf(again.runtime.db)`
    select (select count(*)::int from calls where started_at < now()) as calls, (select count(*)::int from model_hours) > 0 as hours,
      (select count(*)::int from stored_responses) as responses,
      (select count(*)::int from video_idempotency) as keys,
      (select state from video_tasks) as state,
      (select greatest(last_poll_at, lease_until, next_poll_at) < now() + interval '1 hour' from video_tasks) as due`;
  expect(kept).toEqual({ calls: 2, hours: true, responses: 1, keys: 1, state: "processing", due: true });
  await again.close();
});

test("a clock that is set a year ahead while much is deleted takes nothing with it that is still needed", async () => {
  const time = advancingTime();
  const after: typeof time.timers.after = (ms, act) => {
    // The pause between two pieces.
    if (ms === 100 && !vi.isFakeTimers()) {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + YEAR_MS });
    }
    return time.timers.after(ms, act);
  };
  const gateway = await startGateway({ timers: { ...time.timers, after } });
  const sql = sqlOf(gateway.runtime.db);
  const { accountId } = await gateway.customer();
  // One is still needed, and the others are more than a piece.
  await sql`
    insert into kept_thinking (account_id, hash, bytes, payload, created_at, expires_at)
    select ${accountId}, i::text, 1, '', now(), now() + case i when 0 then interval '30 days' else interval '-1 hour' end
    from generate_series(0, 1500) as i`;
  time.advance(10_000);
  await until(async () =>
    /^tollgate_loop_last_success.*loop="old thinking"\} [1-9]/m.test(
      await gateway.runtime.metrics.registry.metrics(),
    ),
  );
  expect(vi.isFakeTimers()).toBe(true);
  await gateway.close();
  vi.useRealTimers();

  const again = await startGateway({ databaseUrl: gateway.databaseUrl });
  const needed = await sqlOf(again.runtime.db)`
    select count(*)::int from kept_thinking where account_id = ${accountId} and expires_at > now()`;
  expect(needed).toEqual([{ count: 1 }]);
  await again.close();
});
