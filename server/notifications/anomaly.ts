import { FEWEST_DAYS, usualBelow } from "@/server/domain/usual-spend";

/** `spent` in the last 24 hours; `before`: in each 24 hours before them; `money`: of the month, quota and top-ups. */
type Days = { spent: bigint; before: bigint[]; money: bigint };

/**
 * Returns the usual spend of a day if the last day is far above it (`usualBelow`) and above a thirtieth of the month's
 * money, so that an account with few calls raises no alarm; null: it is not, or too little is known. All amounts in
 * nano-units.
 */
export function anomalyOf({ spent, before, money }: Days): { usual: bigint } | null {
  const usual = before.length < FEWEST_DAYS ? null : usualBelow(spent, before);
  return usual !== null && spent * 30n > money ? { usual } : null;
}
