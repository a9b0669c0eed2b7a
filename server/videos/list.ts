import { Refusal } from "@/server/base/refusal";
import { columns, type RawTask, type Sql, type TaskRow, toRow } from "./rows";
import type { State } from "./task";

/** Which tasks. `accountId`: whose; an owner's list always has it, and the operator's need not. */
export type TaskFilter = {
  accountId?: string | undefined;
  /** As clients see it: `processing` is `submitting`, too. */
  state?: Exclude<State, "submitting"> | undefined;
  modelId?: string | undefined;
  keyId?: string | undefined;
  channelId?: string | undefined;
};

export type Page = { cursor?: string | undefined; limit: number };

const CURSOR = /^(\d{1,15})\.(task_\w{1,64})$/;

/** Where a page goes on: tasks that were made in the same millisecond are told apart by their identifiers. */
function afterCursor(sql: Sql, cursor: string | undefined) {
  if (cursor === undefined) {
    return sql``;
  }
  const [, milliseconds, id] = CURSOR.exec(cursor) ?? [];
  if (milliseconds === undefined || id === undefined) {
    throw new Refusal("this page does not exist", "pageUnknown");
  }
  return sql`and (created_at, id) < (${new Date(Number(milliseconds))}, ${id})`;
}

function matching(sql: Sql, { accountId, state, modelId, keyId, channelId }: TaskFilter) {
  const states = state === "processing" ? ["submitting", "processing"] : [state ?? ""];
  return sql`
    ${accountId === undefined ? sql`` : sql`and account_id = ${accountId}`}
    ${state === undefined ? sql`` : sql`and state = any(${states})`}
    ${modelId === undefined ? sql`` : sql`and model_id = ${modelId}`}
    ${keyId === undefined ? sql`` : sql`and key_id = ${keyId}`}
    ${channelId === undefined ? sql`` : sql`and channel_id = ${channelId}`}`;
}

/** A page of tasks, newest first. `nextCursor` null: there are no more. Throws Refusal on a cursor that is none. */
export async function listTasks(
  sql: Sql,
  filter: TaskFilter,
  { cursor, limit }: Page,
): Promise<{ rows: TaskRow[]; nextCursor: string | null }> {
  const found = await sql<RawTask[]>`
    select ${columns(sql)} from video_tasks
    where true ${matching(sql, filter)} ${afterCursor(sql, cursor)}
    order by created_at desc, id desc limit ${limit + 1}`;
  const rows = found.slice(0, limit).map(toRow);
  const last = rows.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return { rows, nextCursor: hasMore ? `${last.createdAt.getTime()}.${last.id}` : null };
}
