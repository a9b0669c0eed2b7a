import { keysPage } from "../pages/keys-page";
import { shell } from "../pages/shell";
import { enter } from "../pages/sign-in-page";
import { setPasswordPage, usersPage } from "../pages/users-page";
import { uniqueName } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";
import { sessionOf } from "../support/session";

test("an invited customer sets a password, makes a key and a first call, and the operator sees it", {
  tag: "@smoke",
}, async ({ page, otherPage, t }) => {
  const name = uniqueName("customer");
  const email = `${name}@tollgate.test`;
  await enter(page, deployment.admin(), "/accounts?create=true");
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

test("an owner invites a member, who sets a password, makes a key and a first call; a reader sees it and can change nothing", async ({
  page,
  otherPage,
  t,
  customer,
}) => {
  const password = "chosen by myself";
  const [member, reader] = ["member", "reader"].map((who) => `${uniqueName(who)}@tollgate.test`);
  await enter(page, customer.owner, "/people");
  const people = usersPage(page, t);
  const memberLink = await people.inviteAs("role_member", member ?? "");
  const readerLink = await people.inviteAs("role_reader", reader ?? "");

  await otherPage.goto(memberLink);
  await setPasswordPage(otherPage, t).submit(password);
  await shell(otherPage, t).goTo(t("shell.keys"));
  const secret = await keysPage(otherPage, t).create("first");
  expect(await callerWith(secret).chat()).toBe(200);
  await keysPage(otherPage, t).leaveSecret();
  const menu = otherPage.getByRole("navigation", { name: t("shell.navigation") });
  await expect(menu.getByRole("link", { name: t("shell.people"), exact: true })).toHaveCount(0);
  await shell(otherPage, t).signOut(member ?? "");

  await otherPage.goto(readerLink);
  await setPasswordPage(otherPage, t).submit(password);
  await expect(otherPage.getByText(t("shell.readOnly"))).toBeVisible();
  await shell(otherPage, t).goTo(t("shell.keys"));
  await expect(keysPage(otherPage, t).row("first")).toBeVisible();
  await expect(otherPage.getByRole("button", { name: t("keys.create"), exact: true })).toHaveCount(0);
  const asReader = sessionOf(otherPage.request);
  const key = { name: "second" };
  await expect(asReader.keys.create.mutate(key)).rejects.toMatchObject({ data: { reason: "forbidden" } });

  await people.choose(reader ?? "", "remove");
  await expect(people.row(reader ?? "")).toHaveCount(0);
  await expect(asReader.keys.list.query({})).rejects.toMatchObject({ data: { httpStatus: 401 } });
});
