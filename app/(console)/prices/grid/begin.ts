import { currentPeriod, periodBounds } from "@/server/domain/period";
import { toInput } from "../../_components/fields/moment-input";

/**
 * The start of the next billing month as the value of a native input, in the reader's zone: it need not be midnight
 * there.
 */
export const nextMonthInput = (now: Date, billingTimeZone: string): string =>
  toInput(periodBounds(currentPeriod(billingTimeZone, now), billingTimeZone).end);
