/** Notes of the ledger's entries: what was unusual about a charge. */
import type { Cut } from "@/server/domain/enums";
import { type Conditions, parseConditions, printConditions } from "@/server/pricing";

/** The note of a charge above its hold although the client had set a limit. */
export const ABOVE_HOLD = "above hold";

/** The note of a charge whose upstream reported far more tokens than its call can have. */
export const NOT_BELIEVED = "counts not believed";

/** The note of a charge whose upstream reported a count that we cannot read. */
export const UNREAD_COUNTS = "counts not understood";

/** The note of a charge of which another model did a part, at the price of the requested model. */
export const OTHER_MODEL = "other model";

const CONDITIONS = "prices ";

/** The note of a charge at prices with conditions: `prices @200k`. null: the prices have none. */
export function conditionsNote(conditions: Conditions): string | null {
  const text = printConditions(conditions);
  return text === "" ? null : CONDITIONS + text;
}

/** The conditions in a note. null: the text is another note. */
export const readConditions = (note: string): Conditions | null =>
  note.startsWith(CONDITIONS) ? parseConditions(note.slice(CONDITIONS.length)) : null;

/** The note of a charge for an incomplete answer: `cut: server_stopped`. */
export const cutNote = (cut: Cut): string => `cut: ${cut}`;

/** The note of a charge that came after its hold was lost. */
export const LATE = "late";

/** The note of a charge that an outage allowance paid. */
export const OUTAGE = "outage";
