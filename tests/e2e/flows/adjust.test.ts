import { enter } from "../pages/sign-in-page";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";

test.use({ quota: "10" });

test("an operator credits and debits an account and sees the result, and the owner reads the reason", {
  tag: "@smoke",
}, async ({ page, otherPage, t, customer }) => {
  const { accountId, name, owner } = customer;
  await enter(page, deployment.admin(), `/accounts/${accountId}`);
  const form = page.getByRole("dialog", { name: t("accounts.adjustTitle") });
  const open = () => page.getByRole("button", { name: t("accounts.adjust"), exact: true }).click();
  const figure = (label: string) => form.getByText(label, { exact: true }).locator("..");
  const press = (name: string) => form.getByRole("button", { name, exact: true }).click();
  const fill = async ({ amount, reason }: { amount: string; reason: string }) => {
    await form.getByLabel(t("accounts.amount")).fill(amount);
    await form.getByLabel(t("accounts.reason")).fill(reason);
  };

  await open();
  await press(t("accounts.credit"));
  await expect(form.getByText(t("common.required"))).toBeVisible();
  await fill({ amount: "2.5", reason: "slow answers" });
  await expect(figure(t("accounts.availableBefore"))).toContainText("10.00");
  await expect(figure(t("accounts.availableAfter"))).toContainText("12.50");
  await press(t("accounts.creditAmount", { amount: "¥2.50" }));
  await expect(
    page.getByText(t("accounts.credited", { amount: "¥2.50", name, available: "¥12.50" })),
  ).toBeVisible();
  await expect(form).toBeHidden();

  await open();
  await form.getByRole("radio", { name: t("accounts.debit"), exact: true }).check();
  await fill({ amount: "12.6", reason: "sold by mistake" });
  await press(t("accounts.debitAmount", { amount: "¥12.60" }));
  await expect(form).toContainText(t("refusals.adjustmentTooLarge", { left: "12.5" }));
  await form.getByLabel(t("accounts.amount")).fill("0.5");
  await expect(figure(t("accounts.availableAfter"))).toContainText("12.00");
  await press(t("accounts.debitAmount", { amount: "¥0.50" }));
  await expect(
    page.getByText(t("accounts.debited", { amount: "¥0.50", name, available: "¥12.00" })),
  ).toBeVisible();

  await enter(otherPage, owner, "/billing/statement");
  const movements = otherPage.getByRole("table", { name: t("billing.sheet.movements"), exact: true });
  await expect(movements.getByRole("row", { name: "slow answers" })).toContainText("2.50");
  await expect(movements.getByRole("row", { name: "sold by mistake" })).toContainText("−¥0.50");
});

test("a credit whose answer was lost is booked once, however often it is sent", async ({
  page,
  t,
  operator,
  complaints,
  customer,
}) => {
  const { accountId } = customer;
  await enter(page, deployment.admin(), `/accounts/${accountId}`);
  for (const [opens, title, books] of [
    [t("accounts.topUp"), t("accounts.topUpTitle"), t("accounts.topUp")],
    [t("accounts.adjust"), t("accounts.adjustTitle"), t("accounts.creditAmount", { amount: "¥2.50" })],
  ] as const) {
    await page.getByRole("button", { name: opens, exact: true }).click();
    const form = page.getByRole("dialog", { name: title });
    await form.getByLabel(t("accounts.amount")).fill("2.5");
    await form.getByLabel(t("accounts.reason")).fill("slow answers");
    const send = form.getByRole("button", { name: books, exact: true });
    // The server makes the change, and the connection breaks before the answer.
    await page.route(
      /\/api\/trpc\/accounts\.(topUp|adjust)/,
      async (route) => {
        await route.fetch();
        await route.abort("connectionreset");
      },
      { times: 1 },
    );
    await send.click();
    await expect(form.getByRole("alert")).toBeVisible();
    await send.click();
    await expect(form).toContainText(t("refusals.bookedAlready"));
    await form.getByRole("button", { name: t("common.cancel"), exact: true }).click();
    await expect(form).toBeHidden();
  }
  // The two requests that the test broke off.
  expect(complaints.splice(0)).toEqual(Array(2).fill(expect.stringContaining("ERR_CONNECTION_RESET")));
  expect((await operator.accounts.get.query({ accountId })).month.available).toBe("15");
});
