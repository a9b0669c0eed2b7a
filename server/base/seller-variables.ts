/** The variables of invoices (`variables.ts`). */
import { z } from "zod";

export const sellerVariables = {
  /** The seller of the calls: statements of months are invoices then. Its address is one line. */
  SELLER_NAME: z.string().trim().min(1).max(200).optional(),
  SELLER_ADDRESS: z.string().trim().min(1).max(500).optional(),
  SELLER_TAX_ID: z.string().trim().min(1).max(100).optional(),
  /** In percent, with at most four decimals; none: invoices show no tax. */
  TAX_RATE: z
    .string()
    .regex(/^\d{1,3}(\.\d{1,4})?$/, "is not a rate in percent, such as 6 or 8.875")
    .refine((rate) => Number(rate) <= 100, "is above 100 percent")
    .optional(),
  /** Whether prices and top-ups include the tax; otherwise invoices add it. */
  TAX_INCLUDED: z.stringbool().default(true),
  /** Whether customers owe what they use of their monthly quota; otherwise it is given. */
  QUOTA_INVOICED: z.stringbool().default(false),
};

type SellerVariables = z.infer<z.ZodObject<typeof sellerVariables>>;

const OF_SELLERS = ["SELLER_ADDRESS", "SELLER_TAX_ID", "TAX_RATE"] as const;

/** An invoice needs a seller. */
export const findSellerFaults = (variables: SellerVariables): string[] =>
  variables.SELLER_NAME === undefined && OF_SELLERS.some((name) => variables[name] !== undefined)
    ? [`SELLER_NAME: ${OF_SELLERS.join(", ")} are of no use without it`]
    : [];
