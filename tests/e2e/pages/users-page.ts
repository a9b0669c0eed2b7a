import type { Page } from "@playwright/test";
import type { Texts } from "../support/texts";

/** Those who run the gateway, as an operator sees them. */
export const usersPage = (page: Page, t: Texts) => {
  const dialog = page.getByRole("dialog");
  return {
    row: (email: string) => page.getByRole("row").filter({ hasText: email }),
    /** Answers with the link, which is shown once. */
    invite: async (email: string): Promise<string> => {
      await page.getByRole("button", { name: t("users.addOperator"), exact: true }).click();
      await dialog.getByLabel(t("users.email")).fill(email);
      await dialog.getByRole("button", { name: t("users.addAction"), exact: true }).click();
      const link = await dialog.getByRole("region", { name: t("users.linkOf", { email }) }).innerText();
      await dialog.getByRole("button", { name: t("users.done"), exact: true }).click();
      return link.trim();
    },
  };
};

/** Where a link leads. */
export const setPasswordPage = (page: Page, t: Texts) => ({
  submit: async (password: string) => {
    await page.getByLabel(t("setPassword.password"), { exact: true }).fill(password);
    await page.getByRole("button", { name: t("setPassword.submit") }).click();
  },
});
