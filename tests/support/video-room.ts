import { nanos } from "@/server/base/money";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { createVideos, type Videos } from "@/server/videos";
import type { VideoDeps } from "@/server/videos/deps";
import { billingAt } from "@/tests/support/billing-at";
import { startGateway, type TestGateway } from "./gateway";
import { perFile } from "./per-file";
import { type ScriptedVendor, scriptedVendor } from "./scripted-videos";

export const PRICE = 500_000_000n;

/** Replicas with one database and one vendor, and a clock that the test moves. */
async function videoRoom(
  gateway: TestGateway,
  options: { replicas?: number; quota?: string; maxTasks?: number; start?: string } = {},
) {
  const clock = { now: new Date(options.start ?? "2026-03-10T12:00:00Z") };
  const now = () => new Date(clock.now);
  const vendor: ScriptedVendor = scriptedVendor(now);
  const { runtime } = gateway;
  // Rooms share the queue, and each test's vendor only knows its own tasks.
  await sqlOf(runtime.db)`update video_tasks set next_poll_at = null`;
  const modelId = await gateway.model({
    kind: "video",
    videoPrices: [{ durationSeconds: 5, resolution: "720p", price: nanos(PRICE) }],
  });
  await gateway.channel({
    model: modelId,
    dialect: "openai-video",
    baseUrl: "http://127.0.0.1:1/v1",
    ...(options.maxTasks && { maxTasks: options.maxTasks }),
  });
  const month = clock.now.toISOString().slice(0, 7);
  const billing = billingAt(runtime.billing, () => clock.now.toISOString().slice(0, 7));
  const deps: VideoDeps = {
    ...runtime,
    upstreams: { ...runtime.upstreams, "openai-video": { videos: vendor } },
    ...{ billing, clock: now, timeoutMs: 600_000, debounceMs: 15_000 },
    random: () => 0,
  };
  const videos: Videos[] = Array.from({ length: options.replicas ?? 1 }, () => createVideos(deps));
  const customer = await gateway.customer({ quota: options.quota ?? "1000" });
  const order = (more: object = {}) => ({
    ...{ accountId: customer.accountId, keyId: customer.keyId, keyCap: null, modelId, prompt: "a cat" },
    ...{ durationSeconds: 5, resolution: "720p" as const, priceGroupId: null, aspectRatio: null },
    idempotency: null,
    ...more,
  });
  return {
    ...{ deps, vendor, videos, first: videos[0] as Videos, order, customer, month, modelId },
    pass: (seconds: number) => {
      clock.now = new Date(clock.now.getTime() + seconds * 1_000);
    },
    entries: () => gateway.entries(customer.accountId),
    /** Lets every replica take up the due tasks, and waits until all polls have ended. */
    work: async () => {
      await Promise.all(videos.map((room) => room.work()));
      await Promise.all(videos.map((room) => room.close()));
    },
  };
}

async function videoBalance({ runtime }: TestGateway, accountId: AccountId, period: string) {
  const [row] = await sqlOf(runtime.db)<{ used: string; frozen: string }[]>`
    select used::text, frozen::text from account_months
    where account_id = ${accountId} and period = ${period}`;
  return row;
}

/** A gateway for a file's tests, and its video rooms. */
export function videoRooms() {
  // The gateway's own worker shares the database and must not touch these tasks: its clock is stopped.
  const gateway = perFile(() => startGateway({ clock: () => new Date("2020-01-15T00:00:00Z") }));
  return {
    gateway,
    setUp: (options: Parameters<typeof videoRoom>[1] = {}) => videoRoom(gateway, options),
    balance: (accountId: AccountId, period: string) => videoBalance(gateway, accountId, period),
  };
}
