import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createUser, setAccountStatus } from "@/server/access";
import { openBrowser } from "@/tests/support/browser";
import { serverEnvironment, startGateway, type TestGateway } from "@/tests/support/gateway";
import { type ServerProcess, startServer } from "@/tests/support/process";

let gateway: TestGateway;
let server: ServerProcess;
let browser: Browser;
const admin = { email: "root@tollgate.test", password: "an administrator's password" };

beforeAll(async () => {
  gateway = await startGateway();
  [server, browser] = await Promise.all([
    startServer({
      ...serverEnvironment(gateway.databaseUrl),
      TOLLGATE_ADMIN_EMAIL: admin.email,
      TOLLGATE_ADMIN_PASSWORD: admin.password,
    }),
    openBrowser(),
  ]);
});
afterAll(async () => {
  await browser.close();
  await server.stop();
  await gateway.close();
});

/** A browser of its own at the sign-in page, and what its console complained of. */
async function visit(): Promise<{ page: Page; complaints: string[] }> {
  const page = await (await browser.newContext()).newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  await page.goto(server.url);
  await page.waitForURL("**/sign-in");
  return { page, complaints };
}

async function signIn(page: Page, user: { email: string; password: string }): Promise<void> {
  await page.getByLabel("E-mail").fill(user.email);
  await page.getByLabel("Password").fill(user.password);
  await page.getByRole("button", { name: /Sign in/ }).click();
}

test("the administrator signs in, sees the accounts, and signs out", async () => {
  const { accountId } = await gateway.customer({ quota: "12.5" });
  const [{ name }] = (await gateway.runtime.db
    .sql`select name from accounts where id = ${accountId}`) as unknown as [{ name: string }];
  const { page, complaints } = await visit();
  await signIn(page, admin);
  const row = page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) });
  await row.getByText("12.50").first().waitFor();
  await page.getByRole("button", { name: /Sign out/ }).click();
  await page.waitForURL("**/sign-in");
  await page.goto(server.url);
  await page.waitForURL("**/sign-in");
  expect(complaints).toEqual([]);
});

test("a wrong password is refused in words that do not say which half was wrong", async () => {
  const { page } = await visit();
  await signIn(page, { email: admin.email, password: "not this one" });
  const wrongPassword = await page.getByRole("alert").filter({ hasText: /./ }).first().textContent();
  await signIn(page, { email: "nobody@tollgate.test", password: "not this one" });
  await page.getByRole("button", { name: "登录 Sign in" }).waitFor();
  expect(await page.getByRole("alert").filter({ hasText: /./ }).first().textContent()).toBe(wrongPassword);
});

test("an owner sees the own month only, until the account is disabled", async () => {
  const { accountId } = await gateway.customer({ quota: "7" });
  const owner = { email: "owner@tollgate.test", password: "an owner's password" };
  await createUser(gateway.runtime.db.orm, { accountId, ...owner });
  const { page } = await visit();
  await signIn(page, owner);
  await page.getByText("This month").waitFor();
  await page.getByText("7.00").first().waitFor();
  expect(await page.getByRole("table").count()).toBe(0);
  const operatorsOnly = await page.request.get(`${server.url}/api/trpc/accounts.months`);
  expect(operatorsOnly.status()).toBe(403);
  await setAccountStatus(gateway.runtime.db.orm, { accountId, status: "disabled" });
  await page.reload();
  await page.waitForURL("**/sign-in");
});
