import { currentPeriod, periodBounds } from "@/server/base/period";
import { toInput } from "../../_components/moment-input";

/**
 * When the next billing month begins, as a native input has it: where the reader is, whose midnight it need not be.
 */
export const nextMonthInput = (now: Date, billingTimeZone: string): string =>
  toInput(periodBounds(currentPeriod(billingTimeZone, now), billingTimeZone).end);
