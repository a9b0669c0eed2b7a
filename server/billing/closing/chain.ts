import { createHash } from "node:crypto";
import { asc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { type Db, type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { ledgerCheckpoints, ledgerClosings } = tables;

/** A link of the chain: a closed month. */
export type Closing = typeof ledgerClosings.$inferSelect;

/** One sum of a closed month, in the form that the digest covers. */
export type Checkpoint = Omit<typeof ledgerCheckpoints.$inferSelect, "period">;

const checkpointLine = (sum: Checkpoint): string =>
  [sum.accountId, sum.kind, sum.keyId, sum.modelId, sum.entries, sum.amount, sum.overHold].join("|");

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** The digest of a month's sums, independent of their order. */
export const digestOf = (sums: Checkpoint[]): string =>
  sha256(
    sums
      .map((sum) => Buffer.from(checkpointLine(sum)))
      .sort(Buffer.compare)
      .join("\n"),
  );

const line = sql`concat_ws('|', ${ledgerCheckpoints.accountId}, ${ledgerCheckpoints.kind}, ${ledgerCheckpoints.keyId},
  ${ledgerCheckpoints.modelId}, ${ledgerCheckpoints.entries}, ${ledgerCheckpoints.amount}, ${ledgerCheckpoints.overHold})`;

/** The same digest, computed in the database. */
export const sumsDigest: SQL<string> = sql<string>`
  encode(sha256(convert_to(coalesce(string_agg(${line}, E'\\n' order by ${line} collate "C"), ''), 'UTF8')), 'hex')`;

export const linkDigest = (
  before: string,
  { number, period, entries, sums }: Pick<Closing, "number" | "period" | "entries" | "sums">,
): string => sha256([before, number, period, entries, sums].join("|"));

/** Only one process at a time closes a month or drops a closed month's entries. */
export const lockChain = (tx: Tx) =>
  ormOf(tx).execute(sql`select pg_advisory_xact_lock(hashtext('closing months of the ledger'))`);

/** The last link of each closed month. */
export async function latestClosings(db: Db): Promise<Map<string, Closing>> {
  const links = await ormOf(db).select().from(ledgerClosings).orderBy(asc(ledgerClosings.number));
  return new Map(links.map((closing) => [closing.period, closing]));
}

/**
 * The defect of a link: its digest does not follow from the link before (`link`), or its month's sums have changed
 * (`sums`).
 */
type BrokenLink = { number: number; period: string; what: "link" | "sums" };

/**
 * Follows the chain from its beginning and recomputes the digest of each month's sums. It reads one snapshot, so a
 * month may be closed meanwhile.
 */
export async function verifyChain(db: Db): Promise<BrokenLink[]> {
  const monthSums = ormOf(db)
    .select({ period: ledgerCheckpoints.period, sums: sumsDigest.as("found_sums") })
    .from(ledgerCheckpoints)
    .groupBy(ledgerCheckpoints.period)
    .as("found");
  const isLatest = sql<boolean>`${ledgerClosings.number} = max(${ledgerClosings.number}) over (
    partition by ${ledgerClosings.period}
  )`;
  const links = await ormOf(db)
    .select({
      ...getTableColumns(ledgerClosings),
      actualSums: sql<
        string | null
      >`case when ${isLatest} then coalesce(${monthSums.sums}, ${digestOf([])}) end`,
    })
    .from(ledgerClosings)
    .leftJoin(monthSums, eq(monthSums.period, ledgerClosings.period))
    .orderBy(asc(ledgerClosings.number));
  const broken: BrokenLink[] = [];
  let [before, number] = ["", 0];
  for (const { actualSums, ...closing } of links) {
    number += 1;
    const { period } = closing;
    if (closing.number !== number || closing.digest !== linkDigest(before, closing)) {
      broken.push({ number: closing.number, period, what: "link" });
    }
    if (actualSums !== null && actualSums !== closing.sums) {
      broken.push({ number: closing.number, period, what: "sums" });
    }
    before = closing.digest;
  }
  return broken;
}
