/** What inputs of several operations and lists are made of. */

import { z } from "zod";
import { statuses } from "@/server/base/facts";
import { parseMoney } from "@/server/base/money";

/** What an infinite query asks for. */
export const Page = z.strictObject({
  cursor: z.string().min(1).max(200).optional().describe("`next_cursor` of the page before"),
});

/** Names a row of ours. What names an account, a key, a channel or a task names nothing else from here on. */
export const Id = z.string().min(1).max(100);
export const AccountId = Id.brand<"AccountId">();
export type AccountId = z.output<typeof AccountId>;
export const KeyId = Id.brand<"KeyId">();
export const ChannelId = Id.brand<"ChannelId">();
export const TaskId = Id.brand<"TaskId">();
export type TaskId = z.output<typeof TaskId>;

/** Rows of a list at a time. */
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
        message: "an amount has at most 9 digits on either side of its point",
      });
      return z.NEVER;
    }
    return nanos;
  });

/** ISO 8601 on the wire, of no time before computers': the year 0 is none to PostgreSQL. */
export const Moment = z.iso
  .datetime({ offset: true })
  .max(40)
  .refine((text) => text >= "1970")
  .transform((text) => new Date(text));

/** A billing month. */
export const Period = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, "a month looks like 2026-01");

/** Whether something is in use. */
export const Status = z.enum(statuses);

/** The entry that is to be booked, named by whoever asks. */
export const Once = z
  .string()
  .length(32)
  .regex(/^[0-9a-f]*$/, "hexadecimal digits")
  .transform((name) => `ent_${name}`)
  .optional()
  .describe("Your name of this booking, 32 hexadecimal digits: the same once more is refused, however late");

/** Why money was given or taken. */
export const Reason = z.string().trim().min(1).max(300).describe("What the ledger tells of it");
