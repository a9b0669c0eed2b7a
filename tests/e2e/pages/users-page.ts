import type { Page } from "@playwright/test";
import type { Texts } from "../support/texts";

/** Those who run the gateway, as an admin sees them, or an account's people, as its owner does. */
export const usersPage = (page: Page, t: Texts) => {
  const dialog = page.getByRole("dialog");
  /** In the dialog that is open. Answers with the link, which is shown once. */
  const add = async (email: string): Promise<string> => {
    await dialog.getByLabel(t("users.email")).fill(email);
    await dialog.getByRole("button", { name: t("users.addAction"), exact: true }).click();
    const link = await dialog.getByRole("region", { name: t("users.linkOf", { email }) }).innerText();
    await dialog.getByRole("button", { name: t("users.done"), exact: true }).click();
    return link.trim();
  };
  return {
    row: (email: string) => page.getByRole("row").filter({ hasText: email }),
    /** Somebody who runs the gateway. */
    invite: async (email: string): Promise<string> => {
      await page.getByRole("button", { name: t("users.addOperator"), exact: true }).click();
      return await add(email);
    },
    /** Somebody into one's own account. */
    inviteAs: async (role: "role_member" | "role_reader", email: string): Promise<string> => {
      await page.getByRole("button", { name: t("users.invite"), exact: true }).click();
      await dialog.getByRole("radio", { name: t(`users.${role}`), exact: true }).check();
      return await add(email);
    },
    /** What the menu of somebody's row has, and its confirmation. */
    choose: async (email: string, change: "remove") => {
      await page.getByRole("button", { name: t("common.moreActions", { name: email }) }).click();
      await page.getByRole("menuitem", { name: t(`users.${change}`), exact: true }).click();
      await dialog.getByRole("button", { name: t(`users.${change}Action`), exact: true }).click();
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
