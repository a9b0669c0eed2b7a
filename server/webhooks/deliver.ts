import { and, asc, eq, inArray, lte, sql } from "drizzle-orm";
import { type Agent, request } from "undici";
import type { Clock } from "@/server/base/clock";
import type { Log } from "@/server/base/log";
import type { Vault } from "@/server/base/vault";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { refuseUrl } from "./guard";
import { pauseAfter } from "./schedule";
import { signedHeaders } from "./signature";

const { webhookDeliveries, webhooks } = tables;

/** At a time. */
const BATCH = 16;
const ATTEMPT_MS = 15_000;
/** Longer than an attempt: past it, the claim of a process that died is void. */
const LEASE_MS = 60_000;
const PROBLEM_CHARACTERS = 200;
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
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .innerJoin(webhooks, eq(webhooks.id, webhookDeliveries.webhookId))
    .where(and(lte(webhookDeliveries.dueAt, now), eq(webhooks.status, "active")))
    // First attempts first: a receiver that is down holds back nobody else's.
    .orderBy(asc(webhookDeliveries.attempts), asc(webhookDeliveries.dueAt))
    .limit(BATCH)
    .for("update", { of: webhookDeliveries, skipLocked: true });
  return await orm
    .update(webhookDeliveries)
    .set({
      attempts: sql`${webhookDeliveries.attempts} + 1`,
      dueAt: new Date(now.getTime() + LEASE_MS),
    })
    .from(webhooks)
    .where(and(inArray(webhookDeliveries.id, due), eq(webhooks.id, webhookDeliveries.webhookId)))
    .returning({
      id: webhookDeliveries.id,
      webhookId: webhooks.id,
      body: webhookDeliveries.body,
      attempts: webhookDeliveries.attempts,
      url: webhooks.url,
      secret: webhooks.secret,
      oldSecret: webhooks.oldSecret,
      oldUntil: webhooks.oldUntil,
    });
}

type Claimed = Awaited<ReturnType<typeof claimDue>>[number];
type Outcome = { answered: number | null; problem: string | null; retryAfterMs: number };

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
    return { answered: statusCode, problem: null, retryAfterMs: secondsOf(headers["retry-after"]) * 1000 };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const problem = (cause instanceof Error ? cause.message : String(cause)).slice(0, PROBLEM_CHARACTERS);
    return { answered: null, problem, retryAfterMs: 0 };
  }
}

async function settle(deps: DeliverDeps, claimed: Claimed, outcome: Outcome): Promise<void> {
  const { db, clock, log } = deps;
  const { id, webhookId, attempts } = claimed;
  const { answered, problem, retryAfterMs } = outcome;
  const now = clock();
  const isDelivered = answered !== null && answered >= 200 && answered < 300;
  const pause =
    isDelivered || answered === GONE ? null : pauseAfter(attempts, { retryAfterMs, random: Math.random() });
  const orm = ormOf(db);
  if (answered === GONE) {
    await orm.update(webhooks).set({ status: "disabled" }).where(eq(webhooks.id, webhookId));
  }
  if (!isDelivered && pause === null) {
    log.warn({ webhookId, deliveryId: id, attempts, answered, problem }, "a webhook could not be told");
  }
  await orm
    .update(webhookDeliveries)
    .set({
      answered,
      problem,
      deliveredAt: isDelivered ? now : null,
      dueAt: pause === null ? null : new Date(now.getTime() + pause),
    })
    // Not one that somebody else has claimed since.
    .where(and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.attempts, attempts)));
}

/** Tells who is to be told now; answers how many. At least once each: a process that dies may have told without saying so. */
export async function deliverDue(deps: DeliverDeps): Promise<number> {
  const claimed = await claimDue(deps.db, deps.clock());
  await Promise.all(claimed.map(async (one) => settle(deps, one, await attempt(deps, one))));
  return claimed.length;
}
