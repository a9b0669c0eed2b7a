import { type Nanos, nanos } from "@/server/base/money";

/** The parts of a month's balance, in nano-units. */
export type MonthParts = { quota: Nanos; topups: Nanos; used: Nanos; frozen: Nanos };

/** The money that a month has available, in nano-units. */
export const availableOf = ({ quota, topups, used, frozen }: MonthParts): Nanos =>
  nanos(quota + topups - used - frozen);

/** The same for statements, over columns of these names: of `account_months`, or of a part of the statement. */
export const AVAILABLE = "quota + topups - used - frozen";
