import { type AnyColumn, and, eq, gt, gte, isNotNull, isNull, lt } from "drizzle-orm";
import { type TimePageQuery, tables } from "@/server/db";
import { lowestId } from "@/server/domain/ids";
import type { CallRecord } from "./rows";

const { calls } = tables;

/** Filters of calls. `accountId`: always set in an owner's list, optional in an operator's. */
export type CallFilter = {
  accountId?: CallRecord["accountId"] | undefined;
  keyId?: CallRecord["keyId"] | undefined;
  modelId?: string | undefined;
  endpoint?: string | undefined;
  /** The channel that served it. */
  channelId?: CallRecord["channelId"] | undefined;
  status?: "ok" | "failed" | undefined;
  /** Begun at or after this moment. */
  from?: Date | undefined;
  /** Begun before this moment. */
  until?: Date | undefined;
  requestId?: string | undefined;
};

export const is = (column: AnyColumn, value: string | undefined) =>
  value === undefined ? undefined : eq(column, value);

/** Columns of the table, or of the rows that a walk has read. */
type Columns = Record<"accountId" | "modelId" | "endpoint" | "channelId" | "error", AnyColumn>;

/** An index to walk along: that of a key, of failures (of an account, or of all), of an account, of a model, of all. */
export type Index = "key" | "failed" | "account" | "model" | "all";

/**
 * The indexes whose walks find a page. An account's calls of one model have none of their own: they are few among the
 * account's calls, or few among the model's, so both are walked.
 */
export function indexesOf({ keyId, status, modelId, accountId }: CallFilter): Index[] {
  if (keyId !== undefined) {
    return ["key"];
  }
  if (status === "failed") {
    return ["failed"];
  }
  const indexes: Index[] = [
    ...(accountId === undefined ? [] : ["account" as const]),
    ...(modelId === undefined ? [] : ["model" as const]),
  ];
  return indexes.length === 0 ? ["all"] : indexes;
}

/** The range of a walk along an index, between the moments of the filter: identifiers are ordered by time. */
export const along = (index: Index, filter: CallFilter, { cursor, isOldestFirst }: TimePageQuery) =>
  and(
    index === "key" ? is(calls.keyId, filter.keyId) : undefined,
    index === "failed" ? isNotNull(calls.error) : undefined,
    index === "failed" || index === "account" ? is(calls.accountId, filter.accountId) : undefined,
    index === "model" ? is(calls.modelId, filter.modelId) : undefined,
    is(calls.requestId, filter.requestId),
    cursor === undefined ? undefined : (isOldestFirst ? gt : lt)(calls.requestId, cursor),
    filter.from && gte(calls.requestId, lowestId("req", filter.from)),
    filter.until && lt(calls.requestId, lowestId("req", filter.until)),
  );

/** Conditions that are checked for each row of the walk. undefined: none. */
export const rowConditions = (index: Index, columns: Columns, filter: CallFilter) =>
  and(
    index === "model" ? is(columns.accountId, filter.accountId) : is(columns.modelId, filter.modelId),
    filter.status === "failed" && index !== "failed" ? isNotNull(columns.error) : undefined,
    is(columns.endpoint, filter.endpoint),
    is(columns.channelId, filter.channelId ?? undefined),
    filter.status === "ok" ? isNull(columns.error) : undefined,
  );
