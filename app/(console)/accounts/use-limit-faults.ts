import { useTranslations } from "use-intl";
import { AccountLimits } from "@/server/access/schema";
import type { limitNames } from "./limit-names";
import { useAmountFault } from "./use-amount-fault";

type LimitName = (typeof limitNames)[number];

type AmountName = "dailyLimit" | "outageAllowance";

/** Limits as they are typed. */
export type TypedLimits = Record<LimitName | AmountName, string>;

/** Limits as the server takes them: money as a decimal; null: no limit, or the installation's allowance. */
type Limits = Record<LimitName, number | null> & Record<AmountName, string | null>;

const each = <T>(make: (name: LimitName) => T) => ({
  maxConcurrent: make("maxConcurrent"),
  requestsPerMinute: make("requestsPerMinute"),
  tokensPerMinute: make("tokensPerMinute"),
});

const limitOf = (typed: string) => (typed.trim() === "" ? null : Number(typed));

export const typedLimits = (limits: Partial<Limits>): TypedLimits => ({
  ...each((name) => String(limits[name] ?? "")),
  dailyLimit: limits.dailyLimit ?? "",
  outageAllowance: limits.outageAllowance ?? "",
});

export const readLimits = (typed: TypedLimits): Limits => ({
  ...each((name) => limitOf(typed[name])),
  dailyLimit: typed.dailyLimit.trim() || null,
  outageAllowance: typed.outageAllowance.trim() || null,
});

/** The problem of each limit. */
export function useLimitFaults() {
  const t = useTranslations("accounts");
  const amountFault = useAmountFault();
  const amountFaultOf = (typed: string) => (typed.trim() === "" ? null : amountFault(typed, "zero"));
  return {
    ...each(
      (name) => (typed: string) =>
        AccountLimits.shape[name].safeParse(limitOf(typed)).success ? null : t(`${name}Problem`),
    ),
    dailyLimit: amountFaultOf,
    outageAllowance: amountFaultOf,
  };
}
