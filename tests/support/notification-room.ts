import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { createNotificationWork } from "@/server/notifications";
import { callerFor } from "./console";
import type { TestGateway } from "./gateway";
import { perFile } from "./per-file";
import { startVideoGateway, turbo } from "./video-client";

/** A gateway with notifications for a file's tests, and actions of its customers. `env` is read at its start. */
export function notificationRoom(env: () => Record<string, string>) {
  const gateway = perFile(() => startVideoGateway({ PUBLIC_URL: "https://gateway.test", ...env() }));
  const watch = () => gateway.runtime.notifications.watch();
  return {
    gateway,
    ownerOf: (accountId: AccountId) => callerFor(gateway, { role: "owner", accountId }),
    watch,
    /** In several processes at once. */
    watchAtOnce: () => Promise.all(Array.from({ length: 5 }, watch)),
    /** Spends a customer's money by videos of 0.05 each. */
    spend: (secret: string, videos: number) =>
      Promise.all(
        Array.from({ length: videos }, async () =>
          gateway.reach(secret, await gateway.begin(secret, turbo), "completed"),
        ),
      ),
    /**
     * The work of another process, with another configuration or the same. It uses the gateway's clock: a lease of one
     * must not be over for the other.
     */
    anotherWork: (change: Partial<TestGateway["runtime"]["config"]> = {}) => {
      const { db, channels, log, billing, vault, secrets, config } = gateway.runtime;
      const deps = { db, channels, vault, secrets, log, clock: gateway.clock, period: billing.period };
      return createNotificationWork({ ...deps, config: { ...config, ...change } });
    },
    /** The queue's rows for a webhook or a user. */
    queuedFor: (whom: string) =>
      sqlOf(gateway.runtime.db)`
        select id, attempts, due_at, answered, problem, delivered_at from webhook_deliveries
        where webhook_id = ${whom} or user_id = ${whom}`,
  };
}
