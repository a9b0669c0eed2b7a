import type { Clock } from "@/server/base/clock";
import type { Log } from "@/server/base/log";
import type { Vault } from "@/server/base/vault";
import type { Billing } from "@/server/billing";
import type { Catalog } from "@/server/catalog";
import type { Channels } from "@/server/channels";
import type { Database } from "@/server/db";
import type { VendorApi } from "@/server/domain/enums";
import type { Metrics } from "@/server/domain/metrics";
import type { Upstream, VideoTarget, VideoUpstream } from "@/server/upstream";
import type { TaskRow } from "./rows";

export type VideoDeps = {
  db: Database;
  catalog: Catalog;
  billing: Billing;
  channels: Channels;
  upstreams: Record<VendorApi, Upstream>;
  vault: Vault;
  clock: Clock;
  /** Whether this machine's clock may decide when a task is asked about, and when it has taken too long. */
  isClockRight: () => boolean;
  log: Log;
  metrics: Metrics;
  timeoutMs: number;
  debounceMs: number;
  random: () => number;
};

/** The upstream that has the task, with the credential of that time. null: none yet. */
export function pinnedUpstream(
  deps: VideoDeps,
  task: TaskRow,
): { adapter: VideoUpstream; target: Omit<VideoTarget, "signal"> } | null {
  const adapter = task.upstream ? deps.upstreams[task.upstream.dialect as VendorApi]?.videos : undefined;
  if (!task.upstream || !task.credential || !adapter) {
    return null;
  }
  return { adapter, target: { baseUrl: task.upstream.baseUrl, secret: deps.vault.open(task.credential) } };
}
