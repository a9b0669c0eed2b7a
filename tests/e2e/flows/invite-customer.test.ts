import { keysPage } from "../pages/keys-page";
import { signIn } from "../pages/sign-in-page";
import { setPasswordPage } from "../pages/users-page";
import { uniqueName } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";

test("a customer who is invited sets a password, makes a key and a first call, and the operator sees it", async ({
  page,
  otherPage,
  t,
}) => {
  const name = uniqueName("customer");
  const email = `${name}@tollgate.test`;
  await signIn(page, t, deployment.admin());
  await page.goto("/accounts?create=true");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(t("accounts.name")).fill(name);
  await dialog.getByLabel(t("accounts.monthlyQuota")).fill("25");
  await dialog.getByLabel(t("accounts.email")).fill(email);
  await dialog.getByRole("button", { name: t("accounts.createAction"), exact: true }).click();
  const link = await dialog.getByRole("region", { name: t("users.linkOf", { email }) }).innerText();

  await otherPage.goto(link.trim());
  await setPasswordPage(otherPage, t).submit("chosen by myself");
  await expect(otherPage.getByRole("main")).toContainText("25");
  await otherPage.goto("/keys");
  const secret = await keysPage(otherPage, t).create("first");
  expect(await callerWith(secret).chat()).toBe(200);
  await otherPage.goto("/requests?live=true");
  await expect(otherPage.getByRole("row", { name: "sandbox-chat" })).toHaveCount(1);

  await page.goto(`/all-usage?by=account&range=day`);
  await expect(page.getByRole("main").getByRole("row", { name })).toHaveCount(1);
});
