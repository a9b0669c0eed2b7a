/** Differences that a verification finds, and how a statement returns the first ones of any number. */
import { type SQL, sql } from "drizzle-orm";
import { type Nanos, nanos } from "@/server/base/money";
import type { AccountId, KeyId } from "@/server/domain/ids";

/** A figure that differs from the sum of the ledger's entries and the open holds. `keyId` is set if it is one key's. */
export type Drift = {
  accountId: AccountId;
  period: string;
  figure:
    | "quota"
    | "topups"
    | "used"
    | "frozen"
    | "outage"
    | "overspent"
    | "refunded"
    | "carried"
    | "spend"
    | "cost"
    | "day_spend"
    | "day_cost"
    | "key_used"
    | "key_frozen";
  keyId: KeyId | null;
  /** null: the row does not exist. */
  recorded: Nanos | null;
  recomputed: Nanos;
};

/** The first differences, at most MAX_DRIFTS; the number of all; and every account that has one. */
export type Differences = { drift: Drift[]; count: number; accountIds: AccountId[] };

/** Maximum differences of a result: more than these have one common cause. */
export const MAX_DRIFTS = 1_000;

/** A row from the driver: money is text. */
export type DriftRow = Omit<Drift, "recorded" | "recomputed" | "period"> & {
  recorded: string | null;
  recomputed: string;
  count: number;
  place: number;
};

/**
 * The first differences by account, numbered by `place`, and the first one of every other account. An account's hours
 * are last, because an archived month keeps them, and they must not hide a sum that can be corrected.
 */
export const firstOf = (figures: SQL): SQL => sql`
  select account_id as "accountId", key_id as "keyId", figure, recorded::text, recomputed::text, count, place
  from (
    select *, count(*) over ()::int as count, row_number() over (order by account_id, nth)::int as place
    from (
      select *, row_number() over (
        partition by account_id order by figure = 'spend', figure like 'key\\_%', figure, key_id
      ) as nth
      from ${figures}
    ) as of_accounts
  ) as numbered
  where place <= ${MAX_DRIFTS} or nth = 1`;

const toDrift = ({ accountId, keyId, figure, recorded, recomputed }: DriftRow, period: string): Drift => ({
  ...{ accountId, period, figure, keyId },
  recorded: recorded === null ? null : nanos(recorded),
  recomputed: nanos(recomputed),
});

/** Reads the rows of `firstOf`. */
export const toDifferences = (rows: DriftRow[], period: string): Differences => ({
  drift: rows.filter(({ place }) => place <= MAX_DRIFTS).map((row) => toDrift(row, period)),
  count: rows[0]?.count ?? 0,
  accountIds: [...new Set(rows.map(({ accountId }) => accountId))],
});

/** The differences of several statements together. */
export const together = (parts: Differences[]): Differences => ({
  drift: parts.flatMap(({ drift }) => drift).slice(0, MAX_DRIFTS),
  count: parts.reduce((sum, { count }) => sum + count, 0),
  accountIds: [...new Set(parts.flatMap(({ accountIds }) => accountIds))],
});
