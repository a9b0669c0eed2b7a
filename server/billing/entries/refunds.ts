/** Refunds: money back for one charge, in the month under way (decision 45). */
import { and, asc, eq, gte, inArray, isNotNull, sql } from "drizzle-orm";
import { formatMoney, type Nanos, nanos } from "@/server/base/money";
import { type Db, type Tx, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { type AccountId, newId } from "@/server/domain/ids";
import { Refusal } from "@/server/domain/refusal";
import { type Balance, credit, type OptionalId, refuseBooked } from "./balances";
import { findCharges, type LedgerEntry, selectRows, toEntry } from "./entries";

const { accounts, ledgerClosings, ledgerEntries } = tables;

/** A charge and its account. A video's charge has the identifier of its task. */
type OfCharge = { accountId: AccountId; chargeId: string };

/** The refunds of a charge, in all months since the charge, oldest first. */
export async function listRefunds(db: Db, { accountId, chargeId }: OfCharge): Promise<LedgerEntry[]> {
  const rows = await selectRows(
    db,
    and(
      eq(ledgerEntries.accountId, accountId),
      // This condition selects the index of an account's few entries that are not captures.
      sql`${ledgerEntries.kind} <> 'capture'`,
      eq(ledgerEntries.kind, "refund"),
      eq(ledgerEntries.chargeId, chargeId),
    ),
  ).orderBy(asc(ledgerEntries.createdAt), asc(ledgerEntries.id));
  return rows.map(toEntry);
}

/** The refunds of a month by account, in nano-units. None if its entries are archived. */
export async function refundsOfAccounts(
  db: Db,
  { accountIds, period }: { accountIds: AccountId[]; period: string },
): Promise<Map<AccountId, Nanos>> {
  const rows = await ormOf(db)
    .select({
      accountId: ledgerEntries.accountId,
      amount: sql`sum(${ledgerEntries.amount})`.mapWith(nanos),
    })
    .from(ledgerEntries)
    .where(
      and(
        inArray(ledgerEntries.accountId, accountIds),
        // This condition selects the index of an account's few entries that are not captures.
        sql`${ledgerEntries.kind} <> 'capture'`,
        eq(ledgerEntries.kind, "refund"),
        eq(ledgerEntries.period, period),
      ),
    )
    .groupBy(ledgerEntries.accountId);
  return new Map(rows.map(({ accountId, amount }) => [accountId, amount]));
}

/** An account's refunds by month, in nano-units. Months whose entries are archived have none. */
export async function refundsByMonth(db: Db, accountId: AccountId): Promise<Map<string, Nanos>> {
  const { period } = ledgerEntries;
  const rows = await ormOf(db)
    .select({ period, amount: sql`sum(${ledgerEntries.amount})`.mapWith(nanos) })
    .from(ledgerEntries)
    .where(
      and(
        eq(ledgerEntries.accountId, accountId),
        // This condition selects the index of an account's few entries that are not captures.
        sql`${ledgerEntries.kind} <> 'capture'`,
        eq(ledgerEntries.kind, "refund"),
      ),
    )
    .groupBy(period);
  return new Map(rows.map((row) => [row.period, row.amount]));
}

/** The part of a charge that can still be refunded. */
export const leftOf = (charge: Pick<LedgerEntry, "amount">, refunds: Pick<LedgerEntry, "amount">[]): Nanos =>
  nanos(refunds.reduce((left, { amount }) => left - amount, charge.amount as bigint));

/** Whether the identifier contains a time, which determines the months to search for its charge. */
const hasTime = (id: string): boolean => /^[a-z]+_[0-9a-f]{12}/.test(id);

/** If entries since the charge are archived, earlier refunds of it are unknown. */
async function refuseArchived(tx: Tx, period: string): Promise<void> {
  const [archived] = await ormOf(tx)
    .select({ period: ledgerClosings.period })
    .from(ledgerClosings)
    .where(and(gte(ledgerClosings.period, period), isNotNull(ledgerClosings.archivedAt)))
    .limit(1);
  if (archived) {
    throw new Refusal(
      `the entries of ${archived.period} are archived: credit the account with an adjustment instead`,
      "chargeArchived",
    );
  }
}

/** `amount` null: all that is left. */
type Refund = OfCharge & OptionalId & { period: string; amount: Nanos | null; reason: string };

export type Refunded = { entryId: string; amount: Nanos; left: Nanos; charge: LedgerEntry; balance: Balance };

/**
 * Refunds a charge, or a part of it, in the month `period`. Refunds of one account run one after another, so that they
 * never add up to more than the charge. Throws Refusal, with nothing changed.
 */
export async function refundCharge(
  db: Db,
  { accountId, chargeId, period, amount, reason, id }: Refund,
): Promise<Refunded> {
  await refuseBooked(db, { accountId, id });
  return await transaction(db, async (tx) => {
    // The account is locked before the month's row, as in a change of the quota. It covers every month, because two
    // refunds may be in two months.
    await ormOf(tx)
      .select({ id: accounts.id })
      .from(accounts)
      .where(eq(accounts.id, accountId))
      .for("no key update");
    const charges = hasTime(chargeId) ? await findCharges(tx, [{ id: chargeId, accountId }]) : new Map();
    const charge: LedgerEntry | undefined = charges.get(chargeId);
    if (charge?.kind !== "capture") {
      throw new Refusal(`the ledger has no charge for "${chargeId}"`, "chargeUnknown");
    }
    await refuseArchived(tx, charge.period);
    const left = leftOf(charge, await listRefunds(tx, { accountId, chargeId }));
    const refundAmount = amount ?? left;
    if (left <= 0n) {
      throw new Refusal("this charge has already been refunded in full", "refundNothingLeft");
    }
    if (refundAmount <= 0n) {
      throw new Refusal("a refund must be more than zero", "refundNotPositive");
    }
    if (refundAmount > left) {
      throw new Refusal(`only ${formatMoney(left)} of this charge is left to refund`, "refundTooLarge", {
        left: formatMoney(left),
      });
    }
    const { keyId, modelId, period: chargePeriod } = charge;
    const entryId = id ?? newId("ent");
    const balance = await credit(tx, {
      id: entryId,
      accountId,
      period,
      kind: "refund",
      amount: refundAmount,
      note: reason,
      chargeId,
      chargePeriod,
      keyId,
      modelId,
    });
    return { entryId, amount: refundAmount, left: nanos(left - refundAmount), charge, balance };
  });
}
