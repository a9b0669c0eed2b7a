import { z } from "zod";
import { entryKinds } from "@/server/base/enums";
import { KeyName, Money, Named, Time } from "./shapes";

const sums = {
  calls: z.number().int(),
  amount: Money,
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
};

const Carried = Money.describe("Top-ups of earlier months, or, below zero, what has gone on in a later one");

export const AccountMonth = z.object({
  accountId: z.string(),
  name: z.string(),
  period: z.string(),
  quota: Money,
  topups: Money,
  refunded: Money,
  adjustments: Money,
  carried: Carried,
  used: Money,
  frozen: Money,
  closing: Money.describe("`quota` + `topups` + `refunded` + `adjustments` + `carried` - `used` - `frozen`"),
});

export const WholeStatement = z.object({
  number: z.string().describe("The same whenever it is made"),
  account: Named,
  period: z.string(),
  start: Time,
  end: Time,
  isUnderWay: z.boolean(),
  isArchived: z.boolean().describe("Its entries are in an archive: only those are listed that came later"),
  opening: Money.describe("What the month began with"),
  quota: Money.describe("`opening` + `adjusted`"),
  adjusted: Money.describe("By how much the quota was changed"),
  topups: Money,
  refunded: Money,
  adjustments: Money,
  carried: Carried,
  used: Money,
  frozen: Money,
  closing: Money.describe(
    "`opening` + `adjusted` + `topups` + `refunded` + `adjustments` + `carried` - `used` - `frozen`",
  ),
  models: z.array(z.object({ modelId: z.string(), ...sums })),
  keys: z.array(z.object({ id: z.string(), key: KeyName.nullable(), ...sums })),
  entries: z
    .array(
      z.object({
        id: z.string(),
        createdAt: z.coerce.date().pipe(Time),
        kind: z.enum(entryKinds),
        change: Money,
        requestId: z.string().nullable(),
        note: z.string().nullable(),
      }),
    )
    .describe("All but charges, the oldest first"),
  isCut: z.boolean().describe("There are more entries than are listed; the sums have them all"),
});
