/** Records the result of an attempt to deliver, by webhook or by e-mail. */
import { and, eq, inArray } from "drizzle-orm";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { pauseAfter } from "./schedule";

const { deliveries } = tables;

/** Longer than an attempt: after it, the claim of a process that died is void. */
export const LEASE_MS = 60_000;
const PROBLEM_CHARACTERS = 200;

export type OutboxClaim = { id: string; attempts: number };

/** The result of an attempt. `isFinal`: no further attempt is made. */
export type DeliveryOutcome = {
  isDelivered: boolean;
  isFinal?: boolean;
  answered: number | null;
  problem: string | null;
  retryAfterMs?: number;
};

/** The error in a few words, without details of the connection such as its credentials. */
export function problemOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return (cause instanceof Error ? cause.message : String(cause)).slice(0, PROBLEM_CHARACTERS);
}

/** Records the result of an attempt that covers these claims. Returns those that are given up undelivered. */
export async function settle(
  db: Db,
  claims: readonly OutboxClaim[],
  { now, outcome }: { now: Date; outcome: DeliveryOutcome },
): Promise<OutboxClaim[]> {
  const { isDelivered, isFinal = false, answered, problem, retryAfterMs = 0 } = outcome;
  const lost: OutboxClaim[] = [];
  for (const attempts of new Set(claims.map((claim) => claim.attempts))) {
    const together = claims.filter((claim) => claim.attempts === attempts);
    const isOver = isDelivered || isFinal;
    const pause = isOver ? null : pauseAfter(attempts, { retryAfterMs, random: Math.random() });
    if (!isDelivered && pause === null) {
      lost.push(...together);
    }
    const ids = together.map(({ id }) => id);
    await ormOf(db)
      .update(deliveries)
      .set({
        answered,
        problem,
        deliveredAt: isDelivered ? now : null,
        dueAt: pause === null ? null : new Date(now.getTime() + pause),
      })
      // Skips a delivery that another process has claimed since.
      .where(and(inArray(deliveries.id, ids), eq(deliveries.attempts, attempts)));
  }
  return lost;
}
