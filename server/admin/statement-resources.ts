import { z } from "zod";
import { entryKinds } from "@/server/domain/enums";
import { KeyName, Money, Named, Time } from "./shapes";

const sums = {
  calls: z.number().int(),
  amount: Money,
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
};

const Carried = Money.describe(
  "Top-ups carried over from earlier months; negative: carried over to a later month",
);

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
  number: z.string().describe("The statement number; does not change"),
  account: Named,
  period: z.string(),
  start: Time,
  end: Time,
  isUnderWay: z.boolean(),
  isArchived: z.boolean().describe("Its entries are archived; only later entries are listed"),
  opening: Money.describe("The quota at the start of the month"),
  quota: Money.describe("`opening` + `adjusted`"),
  adjusted: Money.describe("Changes of the quota during the month"),
  topups: Money,
  refunded: Money,
  adjustments: Money,
  carried: Carried,
  used: Money,
  frozen: Money,
  closing: Money.describe(
    "`opening` + `adjusted` + `topups` + `refunded` + `adjustments` + `carried` - `used` - `frozen`",
  ),
  buyer: z
    .object({ name: z.string().nullable(), address: z.string().nullable(), taxId: z.string().nullable() })
    .describe("As the account has entered it; null: not given"),
  currency: z.string().describe("ISO 4217; every amount is in it"),
  invoice: z
    .object({
      seller: z.object({ name: z.string(), address: z.string().nullable(), taxId: z.string().nullable() }),
      charges: Money.describe("`used`"),
      fromQuota: Money.describe("The part that the monthly quota covers without a payment"),
      net: Money,
      taxRate: z.string().nullable().describe("In percent; null: no tax is shown"),
      isTaxIncluded: z.boolean().nullable().describe("The charges include the tax; otherwise it is added"),
      tax: Money,
      total: Money.describe("`net` + `tax`"),
      paid: Money.describe("The part of the charges that top-ups and credits have paid"),
      due: Money.describe("`total` - `paid`"),
    })
    .nullable()
    .describe("null: the installation names no seller (`SELLER_NAME`)"),
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
    .describe("All entries except charges, oldest first"),
  isCut: z.boolean().describe("Not all entries are listed; the sums include all of them"),
});
