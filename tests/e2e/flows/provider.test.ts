import type { Page } from "@playwright/test";
import { shell } from "../pages/shell";
import { enter, signInPage } from "../pages/sign-in-page";
import { uniqueName } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import type { ConsoleTexts } from "../support/texts";

const name = deployment.providerName() ?? "";

// biome-ignore lint/suspicious/noSkippedTests: a deployment that is not ours need not have a provider.
test.skip(() => deployment.providerName() === null, "it has no provider");

// The provider's page, which is not ours, loads a font from another site.
const elsewhere = (url: URL) =>
  url.hostname !== "127.0.0.1" && url.hostname !== new URL(deployment.baseUrl()).hostname;
test.beforeEach(async ({ context, otherPage }) => {
  for (const browserContext of [context, otherPage.context()]) {
    await browserContext.route(elsewhere, (route) => route.fulfill({ contentType: "text/css", body: "" }));
  }
});

/** Signs in on the provider's page and returns. The page is on this machine and asks for a name and a consent. */
async function agree(page: Page, email: string): Promise<void> {
  await page.locator("input[name=login]").fill(email);
  await page.locator("input[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
  await page.locator("button[type=submit]", { hasText: "Continue" }).click();
}

const leave = (page: Page, t: ConsoleTexts) =>
  page.getByRole("button", { name: t("signIn.byProvider", { name }), exact: true }).click();

test("an invited person signs in by the provider, and reaches the page that they wanted", async ({
  page,
  t,
  operator,
  customer,
}) => {
  const email = `${uniqueName("invited")}@tollgate.test`;
  await operator.users.add.mutate({ accountId: customer.accountId, email, role: "member" });
  await page.goto("/keys");
  await leave(page, t);
  await agree(page, email);
  await expect(page.getByRole("heading", { level: 1, name: t("shell.keys") })).toBeVisible();
  await shell(page, t).signOut(email);
});

test("a user with a password links the provider first, and signs in by either afterwards", async ({
  page,
  otherPage,
  t,
  customer,
}) => {
  const { owner } = customer;
  await signInPage(page, t).open();
  await leave(page, t);
  await agree(page, owner.email);
  await expect(signInPage(page, t).refusal()).toHaveText(t("signIn.providerErrors.identityNotLinked"));

  await enter(page, owner, "/security");
  await page.getByRole("button", { name: t("security.link"), exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(t("security.current"), { exact: true }).fill(owner.password);
  await dialog.getByRole("button", { name: t("security.continue"), exact: true }).click();
  // At the provider, the owner has been signed in since the first time.
  await expect(page.getByText(t("security.linked"), { exact: true })).toBeVisible();

  await signInPage(otherPage, t).open();
  await leave(otherPage, t);
  await agree(otherPage, owner.email);
  await expect(otherPage.getByRole("navigation", { name: t("shell.navigation") })).toBeVisible();
});
