/** Parts of the inputs of several operations and lists. */

import { z } from "zod";
import { parseMoney } from "@/server/base/money";
import { statuses } from "@/server/domain/enums";

/** The cursor of a page of a list. */
export const Page = z.strictObject({
  cursor: z.string().min(1).max(200).optional().describe("The `next_cursor` of the previous page"),
});

/** The identifier of a row. From here on, the identifier of an account, a key, a channel or a task has its own type. */
export const Id = z.string().min(1).max(100);
export const AccountId = Id.brand<"AccountId">();
export type AccountId = z.output<typeof AccountId>;
export const KeyId = Id.brand<"KeyId">();
export const ChannelId = Id.brand<"ChannelId">();
export const TaskId = Id.brand<"TaskId">();
export type TaskId = z.output<typeof TaskId>;

/** Rows in a page of a list. */
export const PAGE_ROWS = 50;

/** An exact decimal string on the wire, nano-units inside. */
export const Money = z
  .string()
  .max(30)
  .transform((text, context) => {
    const nanos = parseMoney(text);
    if (nanos === null) {
      context.addIssue({
        code: "custom",
        message: "an amount can have at most 9 digits before and 9 after the decimal point",
      });
      return z.NEVER;
    }
    return nanos;
  });

/** ISO 8601 on the wire, from 1970 on: PostgreSQL has no year 0. */
export const Moment = z.iso
  .datetime({ offset: true })
  .max(40)
  .refine((text) => text >= "1970")
  .transform((text) => new Date(text));

/** A billing month. */
export const Period = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, "a month looks like 2026-01");

/** Whether a thing is enabled. */
export const Status = z.enum(statuses);

/** The caller's name for the entry to be booked. */
export const Once = z
  .string()
  .length(32)
  .regex(/^[0-9a-f]*$/, "hexadecimal digits")
  .transform((name) => `ent_${name}`)
  .optional()
  .describe(
    "Your ID of this booking, 32 hexadecimal digits; a repeat with the same ID is rejected, no matter how late",
  );

/** Why money was given or taken. */
export const Reason = z.string().trim().min(1).max(300).describe("The reason shown in the ledger");
