import type { Page } from "@playwright/test";
import { enter } from "../pages/sign-in-page";
import { countActions } from "../support/count-actions";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { CHAT_MODEL, callerWith } from "../support/gateway";
import { pressAt, tabTo } from "../support/keyboard";
import { moveMonthBack } from "../support/past-month";
import type { ConsoleTexts } from "../support/texts";

/** Expects a printed month with these texts, and nothing of the page around it. */
async function expectPrinted(page: Page, t: ConsoleTexts, sheet: { number: string; account: string }) {
  await page.emulateMedia({ media: "print" });
  for (const role of ["navigation", "banner", "button"] as const) {
    await expect(page.getByRole(role).filter({ visible: true })).toHaveCount(0);
  }
  const main = page.getByRole("main");
  await expect(main.getByText(t("billing.sheet.number", sheet), { exact: true })).toBeVisible();
  await expect(main.getByText(sheet.account, { exact: true })).toBeVisible();
  await expect(main.getByText(t("billing.sheet.underWay"))).toHaveCount(0);
  const balance = main.getByRole("table", { name: t("billing.sheet.figures"), exact: true });
  for (const [term, amount] of [
    ["opening", "100"],
    ["adjustments", "2.5"],
  ] as const) {
    const row = balance
      .getByRole("row")
      .filter({ has: page.getByRole("rowheader", { name: t(`billing.sheet.terms.${term}`), exact: true }) });
    await expect(row).toContainText(amount);
  }
  const rowOf = (table: string, row: string) =>
    main.getByRole("table", { name: table, exact: true }).getByRole("row").filter({ hasText: row });
  await expect(rowOf(t("billing.byModel"), CHAT_MODEL).getByRole("cell").first()).toHaveText("3");
  await expect(rowOf(t("billing.sheet.byKey"), "website").getByRole("cell").first()).toHaveText("2");
  await expect(rowOf(t("billing.sheet.byKey"), "batch").getByRole("cell").first()).toHaveText("1");
  await expect(rowOf(t("billing.sheet.movements"), "late delivery")).toContainText("2.5");
  const pdf = await page.pdf({ preferCSSPageSize: true });
  // A4 in points, as the page says, and not the browser's own size.
  expect(pdf.toString("latin1")).toMatch(/\/MediaBox \[0 0 59[45]\.?\d* 84[12]\.?\d*\]/);
  await page.emulateMedia({ media: "screen" });
}

// biome-ignore lint/suspicious/noSkippedTests: no test moves months in a deployment that is not ours.
test.skip(() => !deployment.isOurs(), "months are moved in the database");

test("an operator prints a customer's past month, and the customer prints the same, by keyboard alone", async ({
  page,
  otherPage,
  t,
  operator,
  customer,
}) => {
  const { accountId, owner } = customer;
  const [website, batch] = [await customer.newKey("website"), await customer.newKey("batch")].map(callerWith);
  for (const caller of [website, website, batch]) {
    expect(await caller?.chat()).toBe(200);
  }
  await operator.accounts.adjust.mutate({ accountId, amount: "-2.5", reason: "late delivery" });
  const period = await moveMonthBack(accountId);
  const month = new Date(`${period}-01`).toLocaleDateString("en-US", {
    year: "numeric",
    month: "long",
    timeZone: "UTC",
  });

  const actions = await countActions(page, otherPage);
  await enter(page, deployment.admin(), `/accounts/${accountId}`);
  const earlier = page.getByRole("table", { name: t("accounts.earlierTitle"), exact: true });
  await expect(earlier.getByRole("row", { name: month })).toContainText("100");
  await pressAt(earlier.getByRole("link", { name: month, exact: true }));
  await expect(
    page.getByRole("heading", { level: 1, name: t("billing.statement", { period: month }) }),
  ).toBeVisible();
  const { number, closing, used } = await operator.accounts.statement.query({ accountId, period });
  expect(Number(closing)).toBeCloseTo(97.5 - Number(used), 9);
  const sheet = { number, account: t("billing.sheet.accountId", { id: accountId }) };
  await expectPrinted(page, t, sheet);

  await enter(otherPage, owner, "/billing");
  await tabTo(otherPage.getByRole("combobox", { name: t("billing.month"), exact: true }));
  await otherPage.keyboard.type(month);
  await expect(otherPage.getByRole("row", { name: t("billing.availableOver") })).toBeVisible();
  await pressAt(
    otherPage.getByRole("main").getByRole("link", { name: t("billing.sheet.open"), exact: true }),
  );
  await expectPrinted(otherPage, t, sheet);
  // One click of the operator; one click and the month of the customer.
  expect(actions).toEqual({ clicks: 2, fields: 1 });
});
