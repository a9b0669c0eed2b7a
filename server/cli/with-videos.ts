import { systemClock } from "@/server/base/clock";
import { createLog } from "@/server/base/log";
import { createMetrics } from "@/server/base/metrics";
import { vaultOf } from "@/server/base/vault";
import { createBilling } from "@/server/billing";
import { createCatalog } from "@/server/catalog";
import { createChannels } from "@/server/channels";
import { createDispatcher, createUpstreams } from "@/server/upstream";
import { createVideos, type Videos } from "@/server/videos";
import type { Context } from "./command";

/** Works with the room over the running server's database. Its worker does not run here. */
export async function withVideos<T>(
  { config, database: db, secrets }: Context,
  act: (videos: Videos) => Promise<T>,
): Promise<T> {
  const dispatcher = createDispatcher();
  const log = createLog("silent");
  const vault = vaultOf(secrets);
  const upstreams = createUpstreams(dispatcher);
  const timeoutMs = config.UPSTREAM_TIMEOUT_SECONDS * 1000;
  const billing = createBilling({ db, clock: systemClock, log, timeZone: config.BILLING_TIMEZONE });
  const videos = createVideos({
    db,
    vault,
    upstreams,
    billing,
    log,
    catalog: createCatalog({ db }),
    channels: createChannels({ db, vault, upstreams, timeoutMs, log }),
    metrics: createMetrics(),
    clock: systemClock,
    timeoutMs: config.VIDEO_TIMEOUT_SECONDS * 1000,
    debounceMs: config.VIDEO_POLL_SECONDS * 1000,
    random: Math.random,
  });
  try {
    return await act(videos);
  } finally {
    await videos.close();
    await billing.close();
    await dispatcher.destroy();
  }
}
