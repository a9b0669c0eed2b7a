import { securityPage } from "../pages/security-page";
import { shell } from "../pages/shell";
import { enter, signIn, signInPage } from "../pages/sign-in-page";
import { setPasswordPage, usersPage } from "../pages/users-page";
import { runCommand } from "../support/command";
import { createViewer, uniqueName } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { openSession, sessionOf } from "../support/session";

test("an invited person sets a password by the link, once, and is signed in", async ({
  page,
  otherPage,
  t,
}) => {
  const email = `${uniqueName("invited")}@tollgate.test`;
  await enter(page, deployment.admin(), "/users");
  const users = usersPage(page, t);
  const link = await users.invite(email);
  await expect(users.row(email)).toContainText(t("users.invited"));

  const answered = otherPage.waitForResponse((response) => response.url().includes("/set-password"));
  await otherPage.goto(link);
  expect((await answered).headers()["referrer-policy"]).toBe("no-referrer");
  await setPasswordPage(otherPage, t).submit("chosen by myself");
  await expect(otherPage.getByRole("navigation", { name: t("shell.navigation") })).toBeVisible();
  await shell(otherPage, t).signOut(email);
  await signIn(otherPage, t, { email, password: "chosen by myself" });

  await shell(otherPage, t).signOut(email);
  await otherPage.goto(link);
  await setPasswordPage(otherPage, t).submit("chosen by someone else");
  await expect(otherPage.getByText(t("refusals.linkInvalid"))).toBeVisible();
});

test("a user whose password someone else chose changes it before anything else", async ({
  page,
  t,
  customer,
}) => {
  const email = `${uniqueName("given")}@tollgate.test`;
  const firstPassword = "chosen by someone else";
  await runCommand(
    "user",
    "create",
    "--account",
    customer.name,
    "--email",
    email,
    "--password",
    firstPassword,
  );
  const form = signInPage(page, t);
  await form.open();
  await form.fill({ email, password: firstPassword });
  await form.submit();
  const title = page.getByRole("heading", { level: 1, name: t("setPassword.mustChangeTitle") });
  await expect(title).toBeVisible();
  await page.goto("/keys");
  await expect(title).toBeVisible();
  const refused = sessionOf(page.request).keys.list.query({});
  await expect(refused).rejects.toMatchObject({ data: { reason: "passwordChangeNeeded" } });

  await securityPage(page, t).submitPassword({ current: firstPassword, next: "chosen by myself" });
  await expect(page.getByRole("navigation", { name: t("shell.navigation") })).toBeVisible();
  await page.goto("/keys");
  await expect(page.getByRole("heading", { level: 1, name: t("shell.keys") })).toBeVisible();
});

test("a viewer sees what an operator sees, and can change nothing", { tag: "@smoke" }, async ({
  page,
  playwright,
  operator,
  t,
  customer,
}) => {
  const viewer = await createViewer(operator, playwright.request);
  const limits = { maxConcurrent: null, requestsPerMinute: 1_234, tokensPerMinute: null };
  await operator.accounts.setLimits.mutate({ accountId: customer.accountId, ...limits });
  await enter(page, viewer, `/accounts/${customer.accountId}?change=top-up`);
  await expect(page.getByText(t("shell.readOnly"))).toBeVisible();
  await expect(page.getByRole("heading", { level: 1, name: customer.name })).toBeVisible();
  await expect(page.getByText(customer.owner.email)).toBeVisible();
  await expect(page.getByText("1,234", { exact: true })).toBeVisible();
  for (const action of [t("accounts.topUp"), t("accounts.disable"), t("users.addUser")]) {
    await expect(page.getByRole("button", { name: action, exact: true })).toHaveCount(0);
  }
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await shell(page, t).goTo(t("shell.channels"));
  await expect(page.getByRole("switch").first()).toBeDisabled();
  await page.getByRole("table").getByRole("link").first().click();
  await expect(page.getByRole("textbox", { name: t("channels.nameField"), exact: true })).toBeDisabled();
  for (const action of [t("channels.modelAdd"), t("channels.testRun"), t("common.save")]) {
    await expect(page.getByRole("button", { name: action, exact: true })).toHaveCount(0);
  }
  const session = await openSession(await playwright.request.newContext(), viewer);
  const topUp = { accountId: customer.accountId, amount: "1", reason: "mine" };
  await expect(session.accounts.topUp.mutate(topUp)).rejects.toMatchObject({ data: { reason: "forbidden" } });
});
