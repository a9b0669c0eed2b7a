import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { TaskState } from "@/server/base/facts";
import type { AccountId, ChannelId, KeyId } from "@/server/base/ids";
import { type Db, findPage, type Keyset, type Page, type PageQuery, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { columns, type TaskRow } from "./rows";

const { videoTasks } = tables;

/** Which tasks. `accountId`: whose; an owner's list always has it, and the operator's need not. */
export type TaskFilter = {
  accountId?: AccountId | undefined;
  /** As clients see it: `processing` is `submitting`, too. */
  state?: Exclude<TaskState, "submitting"> | undefined;
  modelId?: string | undefined;
  keyId?: KeyId | undefined;
  channelId?: ChannelId | undefined;
};

const CURSOR = /^(\d{1,15})\.(task_\w{1,64})$/;

/** Tasks that were made in the same millisecond are told apart by their identifiers. */
const newestTasks: Keyset<TaskRow> = {
  orderBy: [desc(videoTasks.createdAt), desc(videoTasks.id)],
  cursorOf: ({ createdAt, id }) => `${createdAt.getTime()}.${id}`,
  behind: (cursor) => {
    const [, milliseconds, id] = CURSOR.exec(cursor) ?? [];
    const moment = sql.param(new Date(Number(milliseconds)), videoTasks.createdAt);
    return id === undefined
      ? undefined
      : sql`(${videoTasks.createdAt}, ${videoTasks.id}) < (${moment}, ${id})`;
  },
};

function matching({ accountId, state, modelId, keyId, channelId }: TaskFilter) {
  return and(
    accountId === undefined ? undefined : eq(videoTasks.accountId, accountId),
    state && inArray(videoTasks.state, state === "processing" ? ["submitting", state] : [state]),
    modelId === undefined ? undefined : eq(videoTasks.modelId, modelId),
    keyId === undefined ? undefined : eq(videoTasks.keyId, keyId),
    channelId === undefined ? undefined : eq(videoTasks.channelId, channelId),
  );
}

/** A page of tasks, newest first. Throws Refusal on a cursor that is none. */
export const listTasks = (db: Db, filter: TaskFilter, page: PageQuery): Promise<Page<TaskRow>> =>
  findPage(newestTasks, page, ({ behind, orderBy, limit }) =>
    ormOf(db)
      .select(columns)
      .from(videoTasks)
      .where(and(matching(filter), behind))
      .orderBy(...orderBy)
      .limit(limit),
  );
