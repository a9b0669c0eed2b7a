import { enter } from "../pages/sign-in-page";
import { uniqueName } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";

test("an operator makes codes, and a customer redeems one of them, once", async ({
  page,
  otherPage,
  t,
  customer,
}) => {
  const name = uniqueName("spring");
  await enter(page, deployment.admin(), "/codes");
  await page
    .getByRole("button", { name: t("codes.create") })
    .first()
    .click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: t("codes.name") }).fill(name);
  await dialog.getByLabel(t("codes.count")).fill("0");
  await dialog.getByRole("button", { name: t("codes.createAction") }).click();
  await expect(dialog.getByText(t("codes.countWrong", { most: 1_000 }))).toBeVisible();
  await dialog.getByLabel(t("codes.count")).fill("2");
  await dialog.getByLabel(t("codes.amount")).fill("12.5");
  await dialog.getByRole("button", { name: t("codes.createAction") }).click();
  await expect(dialog.getByText(t("codes.createdTitle"))).toBeVisible();
  const shown = await dialog.getByLabel(t("codes.secretLabel")).innerText();
  const [code = "", other = ""] = shown.trim().split("\n");
  expect([code, other]).toEqual([expect.stringMatching(/^(\w{4}-){4}\w{4}$/), expect.stringMatching(/-/)]);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("link", { name: t("codes.download") }).click(),
  ]);
  expect(file.suggestedFilename()).toBe(`${name}.txt`);
  // The codes are saved, so the dialog asks no question.
  await dialog.getByRole("button", { name: t("keys.done") }).click();
  await expect(dialog).toBeHidden();
  await expect(page).not.toHaveURL(/create/);
  await page.reload();
  const row = page.getByRole("row", { name });
  await expect(row).toContainText(t("codes.redeemedOf", { redeemed: 0, codes: 2 }));
  expect(await page.content()).not.toContain(code);

  await enter(otherPage, customer.owner, "/billing");
  const redeem = async () => {
    await otherPage.getByRole("button", { name: t("codes.redeem") }).click();
    const form = otherPage.getByRole("dialog");
    await form.getByRole("textbox", { name: t("codes.redeemLabel") }).fill(` ${code.toLowerCase()}`);
    await form.getByRole("button", { name: t("codes.redeemAction"), exact: true }).click();
    return form;
  };
  await redeem();
  await expect(otherPage.getByRole("dialog")).toBeHidden();
  await expect(otherPage).not.toHaveURL(/redeem/);
  await expect(otherPage.getByRole("main")).toContainText("12.5");
  await expect(otherPage.getByRole("main")).toContainText(`…${code.slice(-4)}, ${name}`);
  await expect(await redeem()).toContainText(t("refusals.codeSpent"));

  await page.reload();
  await expect(row).toContainText(t("codes.redeemedOf", { redeemed: 1, codes: 2 }));
  await page.getByRole("link", { name }).click();
  await expect(page.getByRole("row", { name: customer.name })).toContainText(code.slice(-4));
});
