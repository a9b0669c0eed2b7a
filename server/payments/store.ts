import { and, count, eq, gt, ne, type SQL, sql } from "drizzle-orm";
import {
  type Db,
  findPage,
  newestFirst,
  type Page,
  type PageQuery,
  type RowOf,
  rowOrRefuse,
  type Tx,
  tables,
} from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { PaymentState } from "@/server/domain/enums";
import { type AccountId, newId } from "@/server/domain/ids";
import { Refusal } from "@/server/domain/refusal";

const { accounts, payments } = tables;

const columns = {
  id: payments.id,
  accountId: payments.accountId,
  provider: payments.provider,
  state: payments.state,
  amount: payments.amount,
  currency: payments.currency,
  checkoutId: payments.checkoutId,
  reference: payments.reference,
  refunded: payments.refunded,
  debited: payments.debited,
  dispute: payments.dispute,
  period: payments.period,
  createdAt: payments.createdAt,
  changedAt: payments.changedAt,
};

/** Nano-units. `refunded` - `debited`: refunded by the provider, but already spent here. */
export type Payment = RowOf<typeof columns>;

/** The most unpaid pages of an account; each exists at the provider, too. */
const MOST_OPEN = 20;
const OPEN_MS = 3_600_000;

type NewPayment = Pick<Payment, "accountId" | "provider" | "amount" | "currency">;

/** Throws Refusal if the account has too many unpaid ones. */
export async function storePayment(tx: Tx, order: NewPayment): Promise<Payment> {
  const [open] = await ormOf(tx)
    .select({ payments: count() })
    .from(payments)
    .where(
      and(
        eq(payments.accountId, order.accountId),
        eq(payments.state, "open"),
        gt(payments.createdAt, new Date(Date.now() - OPEN_MS)),
      ),
    );
  if ((open?.payments ?? 0) >= MOST_OPEN) {
    throw new Refusal("too many payments were started in the last hour", "paymentsTooMany");
  }
  return await rowOrRefuse(
    ormOf(tx)
      .insert(payments)
      .values({ ...order, id: newId("pay"), state: "open" })
      .returning(columns),
    () => new Error("the payment was not stored"),
  );
}

/** Without `accountId`: payments of all accounts, for operators. */
type Which = { accountId?: AccountId | undefined };

const isOf = ({ accountId }: Which): SQL | undefined =>
  accountId === undefined ? undefined : eq(payments.accountId, accountId);

export type NamedPayment = Payment & { account: { id: AccountId; name: string } };

const selectNamed = (db: Db, where: SQL | undefined) =>
  ormOf(db)
    .select({ ...columns, name: accounts.name })
    .from(payments)
    .innerJoin(accounts, eq(accounts.id, payments.accountId))
    .where(where);

const toNamed = ({ name, ...payment }: Payment & { name: string }): NamedPayment => ({
  ...payment,
  account: { id: payment.accountId, name },
});

/** Newest first. Throws Refusal on an invalid cursor. */
export async function listPayments(
  db: Db,
  { state, ...which }: Which & { state?: PaymentState | undefined },
  page: PageQuery,
): Promise<Page<NamedPayment>> {
  const isState = state === undefined ? undefined : eq(payments.state, state);
  const { rows, nextCursor } = await findPage<Payment & { name: string }>(
    newestFirst(payments.id),
    page,
    ({ behind, orderBy, limit }) =>
      selectNamed(db, and(isOf(which), isState, behind))
        .orderBy(...orderBy)
        .limit(limit),
  );
  return { rows: rows.map(toNamed), nextCursor };
}

/** Whether another payment has this name at the provider. */
export async function isReferenceTaken(
  tx: Tx,
  { id, provider }: Payment,
  reference: string | null,
): Promise<boolean> {
  if (reference === null) {
    return false;
  }
  const [other] = await ormOf(tx)
    .select({ id: payments.id })
    .from(payments)
    .where(and(eq(payments.provider, provider), eq(payments.reference, reference), ne(payments.id, id)));
  return other !== undefined;
}

/** Throws Refusal if it does not exist or belongs to another account. */
export const getPayment = async (
  db: Db,
  { paymentId, ...which }: Which & { paymentId: string },
): Promise<NamedPayment> =>
  toNamed(
    await rowOrRefuse(
      selectNamed(db, and(eq(payments.id, paymentId), isOf(which))),
      () => new Refusal(`payment "${paymentId}" does not exist`, "paymentUnknown"),
    ),
  );

type ByProvider = Pick<Payment, "provider"> & { paymentId: string | null; reference: string | null };

/** The payment that a provider's message names; null: not one of ours. */
export async function findPayment(
  db: Db,
  { provider, paymentId, reference }: ByProvider,
): Promise<Payment | null> {
  const isNamed = paymentId === null ? eq(payments.reference, reference ?? "") : eq(payments.id, paymentId);
  const [row] = await ormOf(db)
    .select(columns)
    .from(payments)
    .where(and(eq(payments.provider, provider), isNamed));
  return row ?? null;
}

type OfAccount = Pick<Payment, "id" | "accountId">;

const isPayment = ({ id, accountId }: OfAccount) =>
  and(eq(payments.id, id), eq(payments.accountId, accountId));

/** Locks the payment until the transaction ends. */
export const lockPayment = async (tx: Tx, payment: OfAccount): Promise<Payment> =>
  await rowOrRefuse(
    ormOf(tx).select(columns).from(payments).where(isPayment(payment)).for("update"),
    () => new Error(`the payment ${payment.id} is gone`),
  );

/** Writes changes of a payment. */
export async function changePayment(
  db: Db,
  payment: OfAccount,
  change: Partial<Omit<Payment, "id" | "accountId" | "changedAt" | "createdAt">>,
): Promise<void> {
  await ormOf(db)
    .update(payments)
    .set({ ...change, changedAt: sql`now()` })
    .where(isPayment(payment));
}

/** Marks a payment that has no page as failed; if its provider reports on it after all, the report counts. */
export async function failPayment(db: Db, payment: OfAccount): Promise<void> {
  await ormOf(db)
    .update(payments)
    .set({ state: "failed", changedAt: sql`now()` })
    .where(and(isPayment(payment), eq(payments.state, "open")));
}
