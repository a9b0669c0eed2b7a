import { startMailServer } from "@/tests/support/mail-server";
import { signInPage } from "../pages/sign-in-page";
import { forgotPasswordPage, setPasswordPage } from "../pages/users-page";
import { countActions } from "../support/count-actions";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { pressAt, typeAt } from "../support/keyboard";
import { openSession } from "../support/session";

// biome-ignore lint/suspicious/noSkippedTests: no flow can read the e-mails of a deployment that is not ours.
test.skip(() => deployment.mailPort() === null, "its e-mails cannot be read");

// Both read the e-mails that the server sends to one port.
test.describe.configure({ mode: "serial" });

test("a user who forgot their password sets a new one by an e-mail, which ends their other session", async ({
  page,
  otherPage,
  t,
  customer,
}) => {
  const mail = await startMailServer(deployment.mailPort() ?? 0);
  const { email } = customer.owner;
  await openSession(otherPage.request, customer.owner);
  const form = signInPage(page, t);
  const forgot = forgotPasswordPage(page, t);
  const actions = await countActions(page);
  await form.open();
  await forgot.open();
  await forgot.ask(`nobody-${email}`);
  const status = page.getByRole("status");
  await expect(status).toContainText(t("forgotPassword.sentText", { email: `nobody-${email}` }));
  // The user's own address, by keyboard alone.
  await pressAt(page.getByRole("link", { name: t("forgotPassword.back"), exact: true }));
  await pressAt(page.getByRole("link", { name: t("forgotPassword.link"), exact: true }));
  await typeAt(page.getByLabel(t("forgotPassword.email")), email);
  await page.keyboard.press("Enter");
  await expect(status).toContainText(t("forgotPassword.sentText", { email }));

  const lettersTo = (address: string) =>
    mail.received.filter(({ recipients }) => recipients.includes(address));
  await expect.poll(() => lettersTo(email).length).toBe(1);
  expect(lettersTo(`nobody-${email}`)).toEqual([]);
  const [letter] = lettersTo(email);
  const link = /^http\S+#\S+$/m.exec(letter?.text ?? "")?.[0] ?? "";
  await page.goto(link);
  await typeAt(page.getByLabel(t("setPassword.password"), { exact: true }), "chosen by myself");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("navigation", { name: t("shell.navigation") })).toBeVisible();

  // Of these, three clicks and one field belong to the address without a user.
  expect.soft(actions).toEqual({ clicks: 6, fields: 3 });
  await otherPage.goto("/keys");
  await otherPage.waitForURL(/\/sign-in\?/);
  await page.goto(link);
  await setPasswordPage(page, t).submit("chosen by another");
  await expect(page.getByRole("alert").filter({ hasText: t("refusals.linkInvalid") })).toBeVisible();
  await mail.close();
});

test("a reader of an alert leaves all alerts by its link with one click, without signing in", async ({
  page,
  t,
  customer,
}) => {
  const mail = await startMailServer(deployment.mailPort() ?? 0);
  const { email } = customer.owner;
  const { alerts } = await customer.session();
  const [owner] = (await alerts.list.query({})).recipients;
  await alerts.set.mutate({ userId: owner?.userId ?? "", events: ["quota.threshold"] });
  await alerts.test.mutate({ userId: owner?.userId ?? "" });
  const letter = () => mail.received.find(({ recipients }) => recipients.includes(email));
  await expect.poll(() => letter()?.text).toContain("/unsubscribe?");
  await mail.close();

  const actions = await countActions(page);
  await page.goto(/http\S+\/unsubscribe\?\S+/.exec(letter()?.text ?? "")?.[0] ?? "");
  await pressAt(page.getByRole("button", { name: t("unsubscribe.submit"), exact: true }));
  await expect(page.getByRole("status")).toContainText(t("unsubscribe.doneText", { email }));
  expect.soft(actions).toEqual({ clicks: 1, fields: 0 });
  expect((await alerts.list.query({})).recipients).toMatchObject([{ email, events: [] }]);
});
