import { expect, type Page } from "@playwright/test";
import { openSession } from "../support/session";
import { untilItListens } from "../support/settle";
import type { ConsoleTexts } from "../support/texts";

export type SignIn = { email: string; password: string };

export const signInPage = (page: Page, t: ConsoleTexts) => ({
  open: () => page.goto("/sign-in"),
  fill: async ({ email, password }: SignIn) => {
    await page.getByLabel(t("signIn.email")).fill(email);
    await page.getByLabel(t("signIn.password"), { exact: true }).fill(password);
  },
  submit: () => page.getByRole("button", { name: t("signIn.submit"), exact: true }).click(),
  code: () => page.getByLabel(t("signIn.code")),
  refusal: () => page.getByRole("alert").filter({ hasText: /./ }),
});

/** Opens a page and waits until it listens to clicks and keys. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await untilItListens(page);
}

/** Opens a page with a session that is made without the sign-in page, for flows about other things. */
export async function enter(page: Page, user: SignIn, path: string): Promise<void> {
  await openSession(page.request, user);
  await open(page, path);
}

/** Signs in and waits for the console's first page. */
export async function signIn(page: Page, t: ConsoleTexts, user: SignIn): Promise<void> {
  const form = signInPage(page, t);
  await form.open();
  await form.fill(user);
  await form.submit();
  await expect(page.getByRole("navigation", { name: t("shell.navigation") })).toBeVisible();
}
