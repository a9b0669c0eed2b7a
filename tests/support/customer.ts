import { createAccount, issueKey } from "@/server/access";
import { type Nanos, nanos, parseMoney } from "@/server/base/money";
import type { Database } from "@/server/db";

type CustomerTerms = Partial<Parameters<typeof issueKey>[1]>;
export type NewCustomer = Omit<CustomerTerms, "name"> & { name: string; quota: string };

/** An amount in currency units. */
export const money = (text: string): Nanos => parseMoney(text) ?? nanos(0n);

/** A new account with a key named `test`. `quota` is in currency units. */
export async function addCustomer(db: Database, pepper: string, { name, quota, ...terms }: NewCustomer) {
  const { id: accountId } = await createAccount(db, { name, monthlyQuotaNanos: money(quota) });
  const { id: keyId, secret } = await issueKey(db, { ...terms, name: "test", accountId }, pepper);
  return { accountId, keyId, secret };
}
