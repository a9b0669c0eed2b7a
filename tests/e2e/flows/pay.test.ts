import { enter } from "../pages/sign-in-page";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";

// biome-ignore lint/suspicious/noSkippedTests: a deployment that is not ours need not take payments.
test.skip(() => !deployment.takesPayments(), "it takes no payments");
test.use({ quota: "0" });

test("a customer tops up at the provider's page and is credited once, though the provider reports the payment three times", {
  tag: "@smoke",
}, async ({ page, otherPage, t, customer }) => {
  await enter(page, customer.owner, "/billing");
  const dialog = page.getByRole("dialog");
  const amountField = dialog.getByLabel(t("payments.amount"));
  const ask = async (amount: string) => {
    await amountField.fill(amount);
    await dialog.getByRole("button", { name: t("payments.payAction"), exact: true }).click();
  };
  const open = () => page.getByRole("button", { name: t("payments.pay"), exact: true }).click();
  await open();
  await ask("1");
  await expect(dialog).toContainText("5");
  await expect(amountField).toHaveAttribute("aria-invalid", "true");
  await ask("20.5");

  await page.getByRole("button", { name: "Pay", exact: true }).click();
  const main = page.getByRole("main");
  await expect(main).toContainText(t("payments.outcomes.paid"));
  await expect(main).toContainText("20.5");
  await page.getByRole("link", { name: t("payments.toBilling"), exact: true }).click();
  const entries = page.getByRole("table", { name: t("billing.entries") });
  const topups = entries.getByRole("row", { name: t("billing.kinds.topup") });
  await expect(topups).toHaveCount(1);
  await expect(topups).toContainText("20.5");

  await open();
  await ask("30");
  await page.getByRole("link", { name: "Leave", exact: true }).click();
  await expect(main).toContainText(t("payments.outcomes.left"));
  await page.getByRole("link", { name: t("payments.again"), exact: true }).click();
  await ask("40");
  await page.getByRole("button", { name: "Pay by bank transfer", exact: true }).click();
  await expect(main).toContainText(t("payments.outcomes.processing"));

  await enter(otherPage, deployment.admin(), `/payments?account=${customer.accountId}`);
  const rows = otherPage
    .getByRole("table", { name: t("payments.list") })
    .getByRole("row", { name: customer.name });
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(2)).toContainText(t("payments.states.paid"));
  await expect(rows.nth(0)).toContainText(t("payments.states.processing"));
  await expect(rows.nth(1)).toContainText(t("payments.states.open"));
});
