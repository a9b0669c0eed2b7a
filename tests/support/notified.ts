import type { AccountId } from "@/server/base/ids";
import { sqlOf } from "@/server/db/handles";
import { createNotificationWork } from "@/server/notifications";
import { callerFor } from "./console";
import type { TestGateway } from "./gateway";
import { perFile } from "./per-file";
import { startVideoGateway, turbo } from "./video-client";

/** A gateway for a file's tests that tells customers what happens, and what its customers do. `env`: read as it starts. */
export function notified(env: () => Record<string, string>) {
  const gateway = perFile(() => startVideoGateway({ PUBLIC_URL: "https://gateway.test", ...env() }));
  const watch = () => gateway.runtime.notifications.watch();
  return {
    gateway,
    ownerOf: (accountId: AccountId) => callerFor(gateway, { role: "owner", accountId }),
    watch,
    /** By several processes at once. */
    watchAtOnce: () => Promise.all(Array.from({ length: 5 }, watch)),
    /** Spends a customer's money by videos of 0.05 each. */
    spend: (secret: string, videos: number) =>
      Promise.all(
        Array.from({ length: videos }, async () =>
          gateway.reach(secret, await gateway.begin(secret, turbo), "completed"),
        ),
      ),
    /**
     * What another process does, with another configuration or the same. It goes by the gateway's clock: a lease that
     * one of them grants must not be over for the other.
     */
    anotherWork: (change: Partial<TestGateway["runtime"]["config"]> = {}) => {
      const { db, log, billing, vault, config } = gateway.runtime;
      const deps = { db, vault, log, clock: gateway.clock, period: billing.period };
      return createNotificationWork({ ...deps, config: { ...config, ...change } });
    },
    /** Rows of the queue to a webhook, or to a person. */
    queuedFor: (whom: string) =>
      sqlOf(gateway.runtime.db)`
        select id, attempts, due_at, answered, problem, delivered_at from webhook_deliveries
        where webhook_id = ${whom} or user_id = ${whom}`,
  };
}
