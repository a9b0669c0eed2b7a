import fc from "fast-check";
import { expect, test } from "vitest";
import { loadConfig } from "@/server/base/config";
import { type InvoiceTerms, invoiceOf, invoiceTermsOf } from "./invoice";

const seller = { name: "Northwind", address: null, taxId: null };
const terms = (more: Partial<InvoiceTerms> = {}): InvoiceTerms => ({
  seller,
  tax: null,
  isQuotaInvoiced: false,
  ...more,
});
const included = { rate: "6", isIncluded: true };
const added = { rate: "8.875", isIncluded: false };

test("what was used beyond the quota is sold, and prepaid money has paid it", () => {
  expect(invoiceOf({ quota: 100n, credits: 50n, used: 130n }, terms())).toMatchObject({
    ...{ charges: 130n, fromQuota: 100n, net: 30n, tax: 0n, total: 30n, paid: 30n, due: 0n, taxRate: null },
  });
});

test("a quota that is invoiced is due", () => {
  const month = { quota: 100n, credits: 50n, used: 130n };
  expect(invoiceOf(month, terms({ isQuotaInvoiced: true }))).toMatchObject({
    ...{ fromQuota: 0n, total: 130n, paid: 30n, due: 100n },
  });
});

test("tax that is included is taken out of the total, and other tax is added to it and due", () => {
  const month = { quota: 0n, credits: 2_000n, used: 1_060n };
  expect(invoiceOf(month, terms({ tax: included }))).toMatchObject({
    ...{ net: 1_000n, tax: 60n, total: 1_060n, paid: 1_060n, due: 0n, taxRate: "6", isTaxIncluded: true },
  });
  expect(invoiceOf({ ...month, used: 1_000n }, terms({ tax: added }))).toMatchObject({
    // 88.75, rounded half up.
    ...{ net: 1_000n, tax: 89n, total: 1_089n, paid: 1_000n, due: 89n, isTaxIncluded: false },
  });
});

test("a charge above all money is due, and a quota of less than nothing pays nothing", () => {
  expect(invoiceOf({ quota: 10n, credits: 5n, used: 18n }, terms())).toMatchObject({ paid: 5n, due: 3n });
  expect(invoiceOf({ quota: -10n, credits: 20n, used: 4n }, terms())).toMatchObject({ paid: 4n, due: 0n });
  expect(invoiceOf({ quota: 0n, credits: -3n, used: 0n }, terms())).toMatchObject({ total: 0n, due: 0n });
});

test("in any month every line adds up to the nano-unit, and tax changes no charge", () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 18n });
  const rate = fc.integer({ min: 0, max: 1_000_000 }).map((parts) => (parts / 10_000).toFixed(4));
  const anyTerms = fc.record({
    tax: fc.option(fc.record({ rate, isIncluded: fc.boolean() })),
    isQuotaInvoiced: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.record({ quota: amount, credits: amount, used: amount }), anyTerms, (month, more) => {
      const { credits, used } = month;
      const invoice = invoiceOf(month, terms(more));
      expect(invoice.charges).toBe(used);
      expect(invoice.net + invoice.tax).toBe(invoice.total);
      expect(invoice.paid + invoice.due).toBe(invoice.total);
      expect(more.tax?.isIncluded === false ? invoice.net : invoice.total).toBe(used - invoice.fromQuota);
      expect(invoice.paid <= credits && invoice.due >= 0n && invoice.tax >= 0n).toBe(true);
    }),
  );
});

test("an installation without a seller writes no invoices, and a rate without a seller is refused", () => {
  expect(invoiceTermsOf(loadConfig({}))).toBeNull();
  const own = { SELLER_NAME: "Northwind", SELLER_TAX_ID: "91310000MA1K", TAX_RATE: "6" };
  expect(invoiceTermsOf(loadConfig(own))).toEqual({
    seller: { name: "Northwind", address: null, taxId: "91310000MA1K" },
    tax: { rate: "6", isIncluded: true },
    isQuotaInvoiced: false,
  });
  expect(() => loadConfig({ TAX_RATE: "6" })).toThrow(/SELLER_NAME/);
  for (const TAX_RATE of ["6%", "-1", "100.00001", "101", "1e1"]) {
    expect(() => loadConfig({ ...own, TAX_RATE }), TAX_RATE).toThrow(/TAX_RATE/);
  }
});
