import { and, asc, eq, inArray, lte, sql } from "drizzle-orm";
import { type Agent, request } from "undici";
import type { Clock } from "@/server/base/clock";
import type { Log } from "@/server/base/log";
import type { Vault } from "@/server/base/vault";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { refuseUrl } from "./guard";
import { LEASE_MS, type Outcome, problemOf, settle } from "./queue";
import { signedHeaders } from "./signature";

const { deliveries, webhooks } = tables;

/** At a time. */
const BATCH = 16;
const ATTEMPT_MS = 15_000;
/** The receiver wants no more of it, for good. */
const GONE = 410;

export type DeliverDeps = {
  db: Db;
  vault: Vault;
  clock: Clock;
  log: Log;
  agent: Agent;
  allowPrivate: boolean;
};

/** Deliveries whose time has come, each for one process: the first to claim it has it until its lease is over. */
async function claimDue(db: Db, now: Date) {
  const orm = ormOf(db);
  const due = orm
    .select({ id: deliveries.id })
    .from(deliveries)
    .innerJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
    .where(and(lte(deliveries.dueAt, now), eq(webhooks.status, "active")))
    // First attempts first: a receiver that is down holds back nobody else's.
    .orderBy(asc(deliveries.attempts), asc(deliveries.dueAt))
    .limit(BATCH)
    .for("update", { of: deliveries, skipLocked: true });
  return await orm
    .update(deliveries)
    .set({
      attempts: sql`${deliveries.attempts} + 1`,
      dueAt: new Date(now.getTime() + LEASE_MS),
    })
    .from(webhooks)
    .where(and(inArray(deliveries.id, due), eq(webhooks.id, deliveries.webhookId)))
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

/** One attempt. Redirects are answers like others: nothing goes where nobody said. */
async function attempt(
  { vault, clock, agent, allowPrivate }: DeliverDeps,
  claimed: Claimed,
): Promise<Outcome> {
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
    // What it says is of no use to us.
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
    log.warn({ webhookId, deliveryId: id, attempts, answered, problem }, "a webhook could not be told");
  }
}

/** Tells who is to be told now; answers how many. At least once each: a process that dies may have told without saying so. */
export async function deliverDue(deps: DeliverDeps): Promise<number> {
  const claimed = await claimDue(deps.db, deps.clock());
  await Promise.all(claimed.map((one) => tell(deps, one)));
  return claimed.length;
}
