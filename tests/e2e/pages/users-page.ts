import type { Page } from "@playwright/test";
import type { ConsoleTexts } from "../support/texts";

/** The users who run the gateway, as an admin sees them, or an account's users, as its owner sees them. */
export const usersPage = (page: Page, t: ConsoleTexts) => {
  const dialog = page.getByRole("dialog");
  /** Fills in the open dialog. Returns the link, which is shown once. */
  const add = async (email: string): Promise<string> => {
    await dialog.getByLabel(t("users.email")).fill(email);
    await dialog.getByRole("button", { name: t("users.addAction"), exact: true }).click();
    const link = await dialog.getByRole("region", { name: t("users.linkOf", { email }) }).innerText();
    await dialog.getByRole("button", { name: t("users.done"), exact: true }).click();
    return link.trim();
  };
  return {
    row: (email: string) => page.getByRole("row").filter({ hasText: email }),
    /** Invites a user who runs the gateway. */
    invite: async (email: string): Promise<string> => {
      await page.getByRole("button", { name: t("users.addOperator"), exact: true }).click();
      return await add(email);
    },
    /** Invites a user into the owner's account. */
    inviteAs: async (role: "role_member" | "role_reader", email: string): Promise<string> => {
      await page.getByRole("button", { name: t("users.invite"), exact: true }).click();
      await dialog.getByRole("radio", { name: t(`users.${role}`), exact: true }).check();
      return await add(email);
    },
    /** Chooses a change in the menu of a user's row, and confirms it. */
    choose: async (email: string, change: "remove") => {
      await page.getByRole("button", { name: t("common.moreActions", { name: email }) }).click();
      await page.getByRole("menuitem", { name: t(`users.${change}`), exact: true }).click();
      await dialog.getByRole("button", { name: t(`users.${change}Action`), exact: true }).click();
    },
  };
};

/** The page that asks for a link to set a new password. */
export const forgotPasswordPage = (page: Page, t: ConsoleTexts) => ({
  open: () => page.getByRole("link", { name: t("forgotPassword.link"), exact: true }).click(),
  ask: async (email: string) => {
    await page.getByLabel(t("forgotPassword.email")).fill(email);
    await page.getByRole("button", { name: t("forgotPassword.submit"), exact: true }).click();
  },
});

/** The page that an invitation's link opens. */
export const setPasswordPage = (page: Page, t: ConsoleTexts) => ({
  submit: async (password: string) => {
    await page.getByLabel(t("setPassword.password"), { exact: true }).fill(password);
    await page.getByRole("button", { name: t("setPassword.submit") }).click();
  },
});
