import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { aspectRatios, resolutions, taskStates } from "@/server/domain/enums";
import type { AccountId, ChannelId, KeyId, TaskId } from "@/server/domain/ids";
import { moment, nanos } from "./columns";

/**
 * Video tasks. A row is its own queue entry: the process that claims it (`last_poll_at`, `lease_until`) may ask the
 * upstream. Its money is the hold of the same id, ended in the transaction that ends the task.
 */
export const videoTasks = pgTable(
  "video_tasks",
  {
    id: text().$type<TaskId>().primaryKey(),
    accountId: text().$type<AccountId>().notNull(),
    keyId: text().$type<KeyId>().notNull(),
    modelId: text().notNull(),
    prompt: text().notNull(),
    durationSeconds: integer().notNull(),
    resolution: text({ enum: resolutions }).notNull(),
    aspectRatio: text({ enum: aspectRatios }),

    /** `submitting`: no upstream is known to have it yet. Clients see this as `processing`. */
    state: text({ enum: taskStates }).notNull(),
    progress: integer().notNull().default(0),
    errorCode: text(),
    errorMessage: text(),
    videoUrl: text(),

    /** Nano-units, frozen in `period`: the client pays the price that it was quoted. */
    price: nanos().notNull(),
    period: text().notNull(),

    channelId: text().$type<ChannelId>(),
    /** The upstream at the submission: channels change or are removed, but a task stays with its upstream. */
    upstream: jsonb().$type<PinnedUpstream>(),
    /** The credential, encrypted. */
    credential: text(),
    upstreamRef: text(),

    createdAt: moment().notNull().default(sql`now()`),
    deadlineAt: moment().notNull(),
    submitStartedAt: moment(),
    /** When any process last asked an upstream; queries within the debounce are answered from the row. */
    lastPollAt: moment(),
    nextPollAt: moment(),
    leaseUntil: moment(),
    /** Consecutive polls that failed, that did not find the task, and that found it completed without a file. */
    pollErrors: integer().notNull().default(0),
    timesLost: integer().notNull().default(0),
    timesEmpty: integer().notNull().default(0),
    completedAt: moment(),
    endedAt: moment(),
    /**
     * The upstream's result after the task had ended here: work that the operator pays for and no customer was charged
     * for.
     */
    lateResult: text(),
  },
  (table) => [
    index("video_tasks_due").on(table.nextPollAt).where(sql`state in ('submitting', 'processing')`),
    index("video_tasks_open").on(table.channelId).where(sql`state in ('submitting', 'processing')`),
    // One upstream task is one task here: two would be charged for one video.
    uniqueIndex("video_tasks_ref").on(
      sql`(${table.upstream}->>'dialect')`,
      sql`(${table.upstream}->>'baseUrl')`,
      table.upstreamRef,
    ),
    index("video_tasks_account").on(table.accountId, table.createdAt, table.id),
    index("video_tasks_recent").on(table.createdAt, table.id),
  ],
);

export type PinnedUpstream = { dialect: string; baseUrl: string; model: string };

/** Submissions that may be repeated: the same key with the same body gives the same task. */
export const videoIdempotency = pgTable(
  "video_idempotency",
  {
    accountId: text().$type<AccountId>().notNull(),
    key: text().notNull(),
    bodyHash: text().notNull(),
    taskId: text().$type<TaskId>().notNull(),
    createdAt: moment().notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.key] })],
);
