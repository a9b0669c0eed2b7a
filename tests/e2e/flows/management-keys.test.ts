import { adminClient } from "@/tests/support/admin-api";
import { managementKeysPage } from "../pages/management-keys-page";
import { enter } from "../pages/sign-in-page";
import { createViewer, uniqueName } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { openSession } from "../support/session";

const managerWith = (secret: string) => adminClient({ url: deployment.baseUrl() }, secret);

test("a management key made in the console manages the account at once, and is refused once it is revoked", async ({
  page,
  t,
  customer,
}) => {
  await customer.newKey("website");
  await enter(page, customer.owner, "/management-keys");
  await expect(page.getByText(t("managementKeys.emptyTitle"))).toBeVisible();
  const keys = managementKeysPage(page, t);
  const { secret, code } = await keys.create("billing service");
  expect(secret).toMatch(/^mk-\w{40,}$/);
  expect(code).toContain(secret);
  const ask = managerWith(secret);
  const { status, body } = await ask("GET /keys");
  expect(status).toBe(200);
  expect(body).toMatchObject({ data: [{ name: "website", account_id: customer.accountId }] });
  expect((await ask("POST /keys", { name: "user-1" })).status).toBe(201);

  await keys.leaveSecret();
  await page.reload();
  const row = keys.row("billing service");
  await expect(row).toContainText(secret.slice(-4));
  await expect(row).toContainText(t("managementKeys.readAndWrite"));
  await expect(row).toContainText(customer.owner.email);
  await expect(row).not.toContainText(t("keys.neverUsed"));
  expect(await page.content()).not.toContain(secret);

  await keys.revoke("billing service");
  expect((await ask("GET /keys")).status).toBe(401);
  await expect(row).toHaveCount(0);
});

test("a read-only management key can read, and is refused every change", async ({ page, t, customer }) => {
  await enter(page, customer.owner, "/management-keys");
  const keys = managementKeysPage(page, t);
  const ask = managerWith((await keys.create("dashboard", { isReadOnly: true })).secret);
  expect((await ask("GET /keys")).status).toBe(200);
  expect((await ask("POST /keys", { name: "user-1" })).status).toBe(403);
  await keys.leaveSecret();
  await expect(keys.row("dashboard")).toContainText(t("managementKeys.readOnly"));
});

test("operators make the installation's keys, viewers see them, and the audit log names them for what they did", async ({
  page,
  otherPage,
  playwright,
  operator,
  t,
  customer,
}) => {
  const name = uniqueName("sign-up");
  await enter(page, deployment.admin(), "/management-keys");
  const keys = managementKeysPage(page, t);
  const { secret } = await keys.create(name);
  await keys.leaveSecret();
  const made = await managerWith(secret)("POST /keys", {
    account_id: customer.accountId,
    name: "user-1",
  });
  expect(made.status).toBe(201);

  await openSession(otherPage.request, await createViewer(operator, playwright.request));
  await otherPage.goto("/management-keys");
  const keysPage = managementKeysPage(otherPage, t);
  await expect(keysPage.row(name)).toBeVisible();
  await expect(keysPage.createButton).toHaveCount(0);
  await expect(keysPage.revokeButton(name)).toHaveCount(0);

  await page.goto(`/audit?account=${customer.accountId}&action=key.create`);
  await expect(page.getByRole("row").filter({ hasText: "user-1" })).toContainText(`${name} (mgk_`);
  await page.goto("/audit?action=management_key.create");
  await page.getByRole("row").filter({ hasText: name }).getByRole("link", { name }).click();
  await expect(page.getByRole("heading", { level: 1, name: t("shell.managementKeys") })).toBeVisible();
  await keys.revoke(name);
  expect((await managerWith(secret)("GET /keys")).status).toBe(401);
});
