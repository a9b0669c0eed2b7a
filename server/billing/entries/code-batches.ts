/** Codes that customers redeem for money. They are made in batches, and one account can redeem each code once. */
import { and, asc, count, desc, eq, isNull, sql } from "drizzle-orm";
import { type Nanos, nanos } from "@/server/base/money";
import { type Db, type RowOf, rowOrRefuse, type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { type AccountId, newId } from "@/server/domain/ids";
import { Refusal } from "@/server/domain/refusal";
import { type Balance, topUp } from "./balances";
import { hashCode, mintCode, readCode } from "./redeem-code";

const { accounts, codeBatches, redeemCodes } = tables;

const columns = {
  id: codeBatches.id,
  name: codeBatches.name,
  amount: codeBatches.amount,
  expiresAt: codeBatches.expiresAt,
  disabledAt: codeBatches.disabledAt,
  createdBy: codeBatches.createdBy,
  createdAt: codeBatches.createdAt,
};

/** `amount`: the value of each code, in nano-units. */
type CodeBatchRow = RowOf<typeof columns>;
/** `codes`: the number of codes; `redeemed`: how many of them were redeemed. */
type CodeBatch = CodeBatchRow & { codes: number; redeemed: number };
type CodeUse = {
  lastFour: string;
  redeemedAt: Date | null;
  account: { id: AccountId; name: string } | null;
};

type NewBatch = Pick<CodeBatchRow, "name" | "amount" | "expiresAt" | "createdBy"> & { count: number };

/** Creates codes. Only the result contains them: they are stored as hashes. Throws Refusal. */
export async function makeCodes(
  tx: Tx,
  { count: many, ...batch }: NewBatch,
): Promise<CodeBatchRow & { codes: string[] }> {
  if (batch.amount <= 0n) {
    throw new Refusal("a code must be worth more than zero", "codeWorthless");
  }
  const row = await rowOrRefuse(
    ormOf(tx)
      .insert(codeBatches)
      .values({ ...batch, id: newId("bat") })
      .returning(columns),
    () => new Error("the batch was not stored"),
  );
  const codes = Array.from({ length: many }, mintCode);
  await ormOf(tx)
    .insert(redeemCodes)
    .values(
      codes.map((code) => ({
        hash: hashCode(readCode(code) ?? ""),
        batchId: row.id,
        lastFour: code.slice(-4),
      })),
    );
  return { ...row, codes };
}

const counted = {
  ...columns,
  codes: count(redeemCodes.hash),
  redeemed: count(redeemCodes.redeemedAt),
};

const MOST_BATCHES = 1_000;

/** Newest first. */
export async function listCodeBatches(db: Db): Promise<CodeBatch[]> {
  return await ormOf(db)
    .select(counted)
    .from(codeBatches)
    .leftJoin(redeemCodes, eq(redeemCodes.batchId, codeBatches.id))
    .groupBy(codeBatches.id)
    .orderBy(desc(codeBatches.id))
    .limit(MOST_BATCHES);
}

const unknownBatch = (batchId: string) => () =>
  new Refusal(`batch "${batchId}" does not exist`, "codeBatchUnknown");

/** A batch with the use of each code, redeemed codes first. Throws Refusal. */
export async function getCodeBatch(db: Db, batchId: string): Promise<CodeBatch & { uses: CodeUse[] }> {
  const batch = await rowOrRefuse(
    ormOf(db)
      .select(counted)
      .from(codeBatches)
      .leftJoin(redeemCodes, eq(redeemCodes.batchId, codeBatches.id))
      .where(eq(codeBatches.id, batchId))
      .groupBy(codeBatches.id),
    unknownBatch(batchId),
  );
  const rows = await ormOf(db)
    .select({
      lastFour: redeemCodes.lastFour,
      redeemedAt: redeemCodes.redeemedAt,
      accountId: redeemCodes.accountId,
      name: accounts.name,
    })
    .from(redeemCodes)
    .leftJoin(accounts, eq(accounts.id, redeemCodes.accountId))
    .where(eq(redeemCodes.batchId, batchId))
    .orderBy(sql`${redeemCodes.redeemedAt} desc nulls last`, asc(redeemCodes.hash));
  const uses = rows.map(({ accountId, name, ...use }) => ({
    ...use,
    account: accountId === null ? null : { id: accountId, name: name ?? "" },
  }));
  return { ...batch, uses };
}

/** Disables the unused codes of a batch. Repeating it changes nothing. Throws Refusal. */
export async function disableCodes(tx: Tx, batchId: string): Promise<CodeBatchRow> {
  return await rowOrRefuse(
    ormOf(tx)
      .update(codeBatches)
      .set({ disabledAt: sql`coalesce(${codeBatches.disabledAt}, now())` })
      .where(eq(codeBatches.id, batchId))
      .returning(columns),
    unknownBatch(batchId),
  );
}

type Redeeming = { accountId: AccountId; period: string; code: string; now: Date };

const unknownCode = () => new Refusal("this code does not exist", "codeUnknown");

/** Refuses an existing code that cannot be redeemed any more. */
function refuse({ batch, now }: { batch: CodeBatchRow; now: Date }): void {
  if (batch.disabledAt !== null) {
    throw new Refusal("this code was disabled", "codeDisabled");
  }
  if (batch.expiresAt !== null && batch.expiresAt <= now) {
    throw new Refusal("this code has expired", "codeExpired");
  }
}

/**
 * Adds a code's amount to one month, once: if several accounts redeem a code at the same time, one succeeds. The batch
 * is locked so that it cannot be disabled meanwhile. Throws Refusal, with nothing changed.
 */
export async function redeemCode(
  tx: Tx,
  { code, now, accountId, period }: Redeeming,
): Promise<{ batch: Pick<CodeBatchRow, "id" | "name">; amount: Nanos; lastFour: string; balance: Balance }> {
  const digits = readCode(code);
  if (digits === null) {
    throw unknownCode();
  }
  const hash = hashCode(digits);
  const [row] = await ormOf(tx)
    .select(columns)
    .from(codeBatches)
    .innerJoin(redeemCodes, eq(redeemCodes.batchId, codeBatches.id))
    .where(eq(redeemCodes.hash, hash))
    .for("share", { of: codeBatches });
  if (!row) {
    throw unknownCode();
  }
  const { lastFour } = await rowOrRefuse(
    ormOf(tx)
      .update(redeemCodes)
      .set({ redeemedAt: now, accountId })
      .where(and(eq(redeemCodes.hash, hash), isNull(redeemCodes.redeemedAt)))
      .returning({ lastFour: redeemCodes.lastFour }),
    () => new Refusal("this code has already been redeemed", "codeSpent"),
  );
  refuse({ batch: row, now });
  const { id, name, amount } = row;
  const reason = `code …${lastFour}, ${name}`;
  const balance = await topUp(tx, { accountId, period, amount: nanos(amount), reason });
  return { batch: { id, name }, amount, lastFour, balance };
}

/** Replaces the maker's e-mail address in batches of codes when a person is erased. */
export async function forgetMaker(
  tx: Tx,
  { email, erased }: { email: string; erased: string },
): Promise<void> {
  await ormOf(tx).update(codeBatches).set({ createdBy: erased }).where(eq(codeBatches.createdBy, email));
}
