import { and, asc, desc, eq, inArray, ne, type SQL, sql } from "drizzle-orm";
import { type Db, findPage, type Keyset, type Page, type TimePageQuery, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { TaskState } from "@/server/domain/enums";
import type { AccountId, ChannelId, KeyId } from "@/server/domain/ids";
import { columns, type TaskRow } from "./rows";

const { videoTasks } = tables;

/** Filters of tasks. `accountId`: always set in an owner's list, optional in an operator's. */
export type TaskFilter = {
  accountId?: AccountId | undefined;
  /** As clients see it: `processing` includes `submitting`. */
  state?: Exclude<TaskState, "submitting"> | undefined;
  modelId?: string | undefined;
  keyId?: KeyId | undefined;
  channelId?: ChannelId | undefined;
  /** Only tasks that are not erased. */
  isKept?: boolean | undefined;
};

const CURSOR = /^(\d{1,15})\.(task_\w{1,64})$/;

/** A task's place in a list, in the form of a cursor. */
export const placeOf = ({ createdAt, id }: Pick<TaskRow, "createdAt" | "id">): string =>
  `${createdAt.getTime()}.${id}`;

/** Tasks of the same millisecond are ordered by their identifiers. */
const inOrder = (order: typeof asc, comparison: SQL): Keyset<TaskRow> => ({
  orderBy: [order(videoTasks.createdAt), order(videoTasks.id)],
  cursorOf: placeOf,
  behind: (cursor) => {
    const [, milliseconds, id] = CURSOR.exec(cursor) ?? [];
    const moment = sql.param(new Date(Number(milliseconds)), videoTasks.createdAt);
    return id === undefined
      ? undefined
      : sql`(${videoTasks.createdAt}, ${videoTasks.id}) ${comparison} (${moment}, ${id})`;
  },
});

const newestTasks = inOrder(desc, sql`<`);
const oldestTasks = inOrder(asc, sql`>`);

function matching({ accountId, state, modelId, keyId, channelId, isKept }: TaskFilter) {
  return and(
    accountId === undefined ? undefined : eq(videoTasks.accountId, accountId),
    state && inArray(videoTasks.state, state === "processing" ? ["submitting", state] : [state]),
    modelId === undefined ? undefined : eq(videoTasks.modelId, modelId),
    keyId === undefined ? undefined : eq(videoTasks.keyId, keyId),
    channelId === undefined ? undefined : eq(videoTasks.channelId, channelId),
    isKept ? ne(videoTasks.prompt, "") : undefined,
  );
}

/** A page of tasks. Throws Refusal on an invalid cursor. */
export const listTasks = (
  db: Db,
  filter: TaskFilter,
  { isOldestFirst = false, ...page }: TimePageQuery,
): Promise<Page<TaskRow>> =>
  findPage(isOldestFirst ? oldestTasks : newestTasks, page, ({ behind, orderBy, limit }) =>
    ormOf(db)
      .select(columns)
      .from(videoTasks)
      .where(and(matching(filter), behind))
      .orderBy(...orderBy)
      .limit(limit),
  );
