/** Metrics from the database, read from time to time and never by a scrape. */

import { type Billing, measureBooks } from "@/server/billing";
import type { Database } from "@/server/db";
import type { Metrics } from "@/server/domain/metrics";
import { measureOutbox } from "@/server/notifications";
import { measureBackground } from "@/server/responses";
import { measureVideos } from "@/server/videos";

type MeasuringDeps = { db: Database; billing: Pick<Billing, "period">; metrics: Metrics };

async function tellBooks({ db, billing, metrics }: MeasuringDeps): Promise<void> {
  const books = await measureBooks(db, billing.period());
  metrics.holds.set({ kind: "call" }, books.calls.count);
  metrics.holds.set({ kind: "escrow" }, books.escrows.count);
  metrics.heldMoney.set({ kind: "call" }, books.calls.money);
  metrics.heldMoney.set({ kind: "escrow" }, books.escrows.money);
  metrics.escrowCharged.set(books.chargedOfEscrows);
  metrics.holdsExpired.set(books.expired);
  metrics.monthsAhead.set(books.monthsAhead);
  for (const [table, hasRest] of Object.entries(books.hasRest)) {
    metrics.entriesWithoutMonth.set({ table }, hasRest ? 1 : 0);
  }
}

async function tellVideos({ db, metrics }: MeasuringDeps): Promise<void> {
  const { open, lateSeconds } = await measureVideos(db);
  for (const { state, count } of open) {
    metrics.videoTasks.set({ state }, count);
  }
  metrics.videoPollLag.set(lateSeconds);
}

async function tellBackground({ db, metrics }: MeasuringDeps): Promise<void> {
  const { waiting, running, waitSeconds } = await measureBackground(db);
  metrics.backgroundResponses.set({ state: "waiting" }, waiting);
  metrics.backgroundResponses.set({ state: "running" }, running);
  metrics.backgroundWait.set(waitSeconds);
}

async function tellOutbox({ db, metrics }: MeasuringDeps): Promise<void> {
  for (const { kind, waiting, lateSeconds } of await measureOutbox(db)) {
    metrics.notificationsWaiting.set({ kind }, waiting);
    metrics.notificationsLate.set({ kind }, lateSeconds);
  }
}

/**
 * Asks one question after the other. If one throws, the others are still asked: its gauges keep their values, and the
 * metrics of loops show the failed pass.
 */
export async function measureStore(deps: MeasuringDeps): Promise<void> {
  const errors: unknown[] = [];
  for (const tell of [tellBooks, tellVideos, tellBackground, tellOutbox]) {
    await tell(deps).catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) {
    throw errors[0];
  }
}
