import { expect, type Page } from "@playwright/test";
import type { ConsoleTexts } from "../support/texts";
import { open } from "./sign-in-page";

/** One account as an operator sees it. */
export const accountPage = (page: Page, t: ConsoleTexts) => {
  const dialog = page.getByRole("dialog");
  const begin = (action: string) => page.getByRole("button", { name: action, exact: true }).first().click();
  const confirm = async (action: string) => {
    await dialog.getByRole("button", { name: action, exact: true }).click();
    await expect(dialog).toHaveCount(0);
  };
  return {
    find: async (name: string) => {
      await open(page, "/accounts");
      await page.getByLabel(t("accounts.search")).fill(name);
      // The address follows the typed text later, and would take a reader who had left the list back to it.
      await page.waitForURL(`**/accounts?search=${name}`);
      await page.getByRole("link", { name, exact: true }).click();
      await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
    },
    topUp: async ({ amount, reason }: { amount: string; reason: string }) => {
      await begin(t("accounts.topUp"));
      await dialog.getByLabel(t("accounts.amount")).fill(amount);
      await dialog.getByLabel(t("accounts.reason")).fill(reason);
      await confirm(t("accounts.topUp"));
    },
    disable: async () => {
      await begin(t("accounts.disable"));
      await expect(dialog).toContainText(t("accounts.disableSessions"));
      await confirm(t("accounts.disableAction"));
    },
  };
};
