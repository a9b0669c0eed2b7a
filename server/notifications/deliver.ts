import { and, eq, inArray, lte, sql } from "drizzle-orm";
import { type Agent, request } from "undici";
import type { Clock } from "@/server/base/clock";
import type { Log } from "@/server/base/log";
import type { Vault } from "@/server/base/vault";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { isNextOf } from "@/server/db/lease";
import { refuseUrl } from "./guard";
import { type DeliveryOutcome, LEASE_MS, problemOf, settle } from "./queue";
import { signedHeaders } from "./signature";

const { deliveries, webhooks } = tables;

/** Deliveries that are claimed together. */
const BATCH = 16;
const ATTEMPT_MS = 15_000;
/** The receiver wants no further delivery. */
const GONE = 410;

export type DeliverDeps = {
  db: Db;
  vault: Vault;
  clock: Clock;
  log: Log;
  agent: Agent;
  allowPrivate: boolean;
};

/** Claims due deliveries, each for one process: the first process to claim one has it until its lease expires. */
async function claimDue(db: Db, now: Date) {
  const orm = ormOf(db);
  const active = orm.select({ id: webhooks.id }).from(webhooks).where(eq(webhooks.status, "active"));
  const isDue = isNextOf(db, deliveries.id, {
    where: and(lte(deliveries.dueAt, now), inArray(deliveries.webhookId, active)),
    // First attempts first, so that a receiver that is down does not delay others.
    orderBy: [deliveries.attempts, deliveries.dueAt],
    limit: BATCH,
  });
  return await orm
    .update(deliveries)
    .set({
      attempts: sql`${deliveries.attempts} + 1`,
      dueAt: new Date(now.getTime() + LEASE_MS),
    })
    .from(webhooks)
    .where(and(isDue, eq(webhooks.id, deliveries.webhookId)))
    .returning({
      id: deliveries.id,
      webhookId: webhooks.id,
      body: deliveries.body,
      attempts: deliveries.attempts,
      url: webhooks.url,
      secret: webhooks.secret,
      oldSecret: webhooks.oldSecret,
      oldUntil: webhooks.oldUntil,
    });
}

type Claimed = Awaited<ReturnType<typeof claimDue>>[number];

const secondsOf = (header: string | string[] | undefined): number =>
  typeof header === "string" && /^\d{1,6}$/.test(header) ? Number(header) : 0;

/** Makes one attempt. Redirects are answers like others, so that nothing is sent to an address that was not entered. */
async function attempt(
  { vault, clock, agent, allowPrivate }: DeliverDeps,
  claimed: Claimed,
): Promise<DeliveryOutcome> {
  const { url, secret, oldSecret, oldUntil } = claimed;
  const at = clock();
  const isOldValid = oldSecret !== null && oldUntil !== null && oldUntil > at;
  const secrets = [secret, ...(isOldValid ? [oldSecret] : [])].map((sealed) => vault.open(sealed));
  try {
    refuseUrl(url, allowPrivate);
    const { statusCode, headers, body } = await request(url, {
      dispatcher: agent,
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "Tollgate-Webhooks",
        ...signedHeaders({ ...claimed, at }, secrets),
      },
      body: claimed.body,
      signal: AbortSignal.timeout(ATTEMPT_MS),
    });
    // The body of the answer is not used.
    await body.dump({ limit: 64 * 1024 }).catch(() => {});
    return {
      isDelivered: statusCode >= 200 && statusCode < 300,
      isFinal: statusCode === GONE,
      answered: statusCode,
      problem: null,
      retryAfterMs: secondsOf(headers["retry-after"]) * 1000,
    };
  } catch (error) {
    return { isDelivered: false, answered: null, problem: problemOf(error) };
  }
}

async function tell(deps: DeliverDeps, claimed: Claimed): Promise<void> {
  const { db, clock, log } = deps;
  const { id, webhookId, attempts } = claimed;
  const outcome = await attempt(deps, claimed);
  const { answered, problem } = outcome;
  if (answered === GONE) {
    await ormOf(db).update(webhooks).set({ status: "disabled" }).where(eq(webhooks.id, webhookId));
  }
  const lost = await settle(db, [claimed], { now: clock(), outcome });
  if (lost.length > 0) {
    log.warn({ webhookId, deliveryId: id, attempts, answered, problem }, "a webhook delivery failed");
  }
}

/**
 * Attempts the deliveries that are due; returns their number. Each is delivered at least once: a process may die after
 * a delivery and before recording it.
 */
export async function deliverDue(deps: DeliverDeps): Promise<number> {
  const claimed = await claimDue(deps.db, deps.clock());
  await Promise.all(claimed.map((delivery) => tell(deps, delivery)));
  return claimed.length;
}
