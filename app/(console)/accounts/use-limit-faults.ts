import { useTranslations } from "use-intl";
import { AccountLimits } from "@/server/access/schema";
import type { limitNames } from "./limit-names";

/** Limits as they are typed. */
export type TypedLimits = Record<(typeof limitNames)[number], string>;

const each = <T>(make: (name: (typeof limitNames)[number]) => T) => ({
  maxConcurrent: make("maxConcurrent"),
  requestsPerMinute: make("requestsPerMinute"),
  tokensPerMinute: make("tokensPerMinute"),
});

/** null: no limit. */
const limitOf = (typed: string) => (typed.trim() === "" ? null : Number(typed));

export const typedLimits = (limits: Partial<AccountLimits>): TypedLimits =>
  each((name) => String(limits[name] ?? ""));

export const readLimits = (typed: TypedLimits): AccountLimits => each((name) => limitOf(typed[name]));

/** What is wrong with each of them. */
export function useLimitFaults() {
  const t = useTranslations("accounts");
  return each(
    (name) => (typed: string) =>
      AccountLimits.shape[name].safeParse(limitOf(typed)).success ? null : t(`${name}Problem`),
  );
}
