/**
 * The invoice of a month. Pure, and exact to the nano-unit: the ledger's amounts stay as they are, and tax is computed
 * from them as the operator configured it.
 */
import type { Config } from "@/server/base/config";
import { type Nanos, nanos } from "@/server/base/money";

/** Tax as a share of a million, so that a rate of 8.875 % is a whole number. */
const MILLION = 1_000_000n;

export type InvoiceTerms = {
  seller: { name: string; address: string | null; taxId: string | null };
  /** `rate`: in percent, as configured. `isIncluded`: the ledger's amounts include it. null: no tax is shown. */
  tax: { rate: string; isIncluded: boolean } | null;
  /** Whether customers owe what they use of their monthly quota; otherwise the operator gives it. */
  isQuotaInvoiced: boolean;
};

type Variables = Pick<
  Config,
  "SELLER_NAME" | "SELLER_ADDRESS" | "SELLER_TAX_ID" | "TAX_RATE" | "TAX_INCLUDED" | "QUOTA_INVOICED"
>;

/** null: this installation writes no invoices. */
export function invoiceTermsOf(config: Variables): InvoiceTerms | null {
  const { SELLER_NAME: name, SELLER_ADDRESS: address, SELLER_TAX_ID: taxId, TAX_RATE: rate } = config;
  if (name === undefined) {
    return null;
  }
  return {
    seller: { name, address: address ?? null, taxId: taxId ?? null },
    tax: rate === undefined ? null : { rate, isIncluded: config.TAX_INCLUDED },
    isQuotaInvoiced: config.QUOTA_INVOICED,
  };
}

/** `8.875` -> 88750. */
function perMillion(rate: string): bigint {
  const [whole = "0", decimals = ""] = rate.split(".");
  return BigInt(whole) * 10_000n + BigInt(decimals.padEnd(4, "0"));
}

/** `amount` * `numerator` / `denominator`, rounded half up to a whole nano-unit. */
const share = (amount: bigint, numerator: bigint, denominator: bigint): bigint =>
  (2n * amount * numerator + denominator) / (2n * denominator);

const lesser = (a: bigint, b: bigint) => (a < b ? a : b);
const atLeastZero = (a: bigint) => (a > 0n ? a : 0n);

/** The month's money, in nano-units. `credits`: everything in addition to the quota. */
type Month = { quota: bigint; credits: bigint; used: bigint };

/**
 * `charges` - `fromQuota` = the sold amount; `net` + `tax` = `total`; `total` - `paid` = `due`. A month spends its quota
 * first (decision 59), so its prepaid money has paid what was used beyond the quota.
 */
export function invoiceOf({ quota, credits, used }: Month, terms: InvoiceTerms) {
  const ofQuota = lesser(used, atLeastZero(quota));
  const prepaid = lesser(used - ofQuota, atLeastZero(credits));
  const fromQuota = terms.isQuotaInvoiced ? 0n : ofQuota;
  const sold = used - fromQuota;
  const { tax } = terms;
  const rate = tax === null ? 0n : perMillion(tax.rate);
  const net = tax?.isIncluded ? share(sold, MILLION, MILLION + rate) : sold;
  const taxed = tax?.isIncluded ? sold - net : share(sold, rate, MILLION);
  const total = net + taxed;
  const amounts = { charges: used, fromQuota, net, tax: taxed, total, paid: prepaid, due: total - prepaid };
  return {
    seller: terms.seller,
    taxRate: tax?.rate ?? null,
    isTaxIncluded: tax?.isIncluded ?? null,
    ...(Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, nanos(amount)])) as Record<
      keyof typeof amounts,
      Nanos
    >),
  };
}
