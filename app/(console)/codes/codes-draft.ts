/** The form of a batch of codes: its values, their problems, and the request made from them. Pure. */
import { parseMoney } from "@/server/base/money";

/** The most codes that one request creates. */
export const MOST_CODES = 1_000;

/** `expiry`: `YYYY-MM-DD` in the reader's zone; empty: never. */
export type CodesDraft = { name: string; amount: string; count: string; expiry: string };
type CodesProblem = "nameMissing" | "amountWrong" | "countWrong" | "expiryPast";
export type CodesProblems = Partial<Record<keyof CodesDraft, CodesProblem>>;

export const emptyDraft: CodesDraft = { name: "", amount: "", count: "10", expiry: "" };

/** The last moment of a day in the reader's zone. */
const endOf = (day: string) => new Date(`${day}T23:59:59.999`);

/** `now`: epoch ms. */
export function problemsOf({ name, amount, count, expiry }: CodesDraft, now = Date.now()): CodesProblems {
  const many = /^\d{1,4}$/.test(count.trim()) ? Number(count) : 0;
  const ends = expiry === "" ? Number.POSITIVE_INFINITY : endOf(expiry).getTime();
  return {
    ...(name.trim() === "" && { name: "nameMissing" as const }),
    ...((parseMoney(amount.trim()) ?? 0n) <= 0n && { amount: "amountWrong" as const }),
    ...((many < 1 || many > MOST_CODES) && { count: "countWrong" as const }),
    ...(!(ends > now) && { expiry: "expiryPast" as const }),
  };
}

/** A draft without problems as the request. */
export const termsOf = ({ name, amount, count, expiry }: CodesDraft) => ({
  name: name.trim(),
  amount: amount.trim(),
  count: Number(count),
  expiresAt: expiry === "" ? null : endOf(expiry).toISOString(),
});
