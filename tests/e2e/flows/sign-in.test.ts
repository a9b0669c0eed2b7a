import { accountPage } from "../pages/account-page";
import { shell } from "../pages/shell";
import { enter, signIn, signInPage } from "../pages/sign-in-page";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { openSession } from "../support/session";

test("a wrong password is refused with a message that does not say which half was wrong", async ({
  page,
  t,
  customer,
}) => {
  const form = signInPage(page, t);
  await form.open();
  await form.fill({ ...customer.owner, password: "not this one" });
  await form.submit();
  await expect(form.refusal()).toHaveText(t("signIn.wrong"));
  await page.reload();
  await form.fill({ email: `nobody-${customer.owner.email}`, password: "not this one" });
  await form.submit();
  await expect(form.refusal()).toHaveText(t("signIn.wrong"));
});

test("without a session every page leads to the sign-in, also after signing out", { tag: "@smoke" }, async ({
  page,
  t,
  customer,
}) => {
  await page.goto("/keys");
  await page.waitForURL(/\/sign-in\?to=%2Fkeys$/);
  await signIn(page, t, customer.owner);
  await shell(page, t).signOut(customer.owner.email);
  await page.goto("/keys");
  await page.waitForURL(/\/sign-in\?/);
});

test("a sign-out that the server could not make stays on the page and says so, and the next one signs out", async ({
  page,
  context,
  t,
  customer,
  complaints,
}) => {
  await enter(page, customer.owner, "/");
  await context.route("**/api/auth/signout", (route) => route.fulfill({ status: 503, body: "{}" }));
  await page.getByRole("button", { name: t("shell.userMenu", { email: customer.owner.email }) }).click();
  await page.getByRole("menuitem", { name: t("shell.signOut") }).click();
  const notice = page.getByRole("alert").filter({ hasText: t("shell.signOutFailedText") });
  await expect(notice).toBeVisible();
  await expect(page).not.toHaveURL(/sign-in/);
  // The notice covers the menu.
  await notice.getByRole("button").click();
  complaints.length = 0;
  await context.unroute("**/api/auth/signout");
  await shell(page, t).signOut(customer.owner.email);
});

test("disabling an account ends its owner's session, and the owner cannot sign in again", async ({
  page,
  otherPage,
  t,
  customer,
}) => {
  await enter(page, customer.owner, "/");
  await openSession(otherPage.request, deployment.admin());
  const account = accountPage(otherPage, t);
  await account.find(customer.name);
  await account.disable();

  await page.reload();
  await page.waitForURL(/\/sign-in/);
  const form = signInPage(page, t);
  await form.fill(customer.owner);
  await form.submit();
  await expect(form.refusal()).toHaveText(t("signIn.disabled"));
});
