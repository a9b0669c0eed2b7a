import { expect, type Page } from "@playwright/test";
import type { ConsoleTexts } from "../support/texts";

/** The frame of every page. */
export const shell = (page: Page, t: ConsoleTexts) => ({
  goTo: async (place: string) => {
    const menu = page.getByRole("navigation", { name: t("shell.navigation") });
    await menu.getByRole("link", { name: place, exact: true }).click();
    await expect(page.getByRole("heading", { level: 1, name: place })).toBeVisible();
  },
  signOut: async (email: string) => {
    await page.getByRole("button", { name: t("shell.userMenu", { email }) }).click();
    await page.getByRole("menuitem", { name: t("shell.signOut") }).click();
    await page.waitForURL("**/sign-in");
  },
  chooseTheme: async (theme: "themeLight" | "themeDark" | "themeAuto") => {
    await page.getByRole("button", { name: t("shell.theme") }).click();
    await page.getByRole("menuitem", { name: t(`shell.${theme}`) }).click();
  },
  chooseLanguage: async (language: "中文" | "English") => {
    await page.getByRole("button", { name: t("shell.language") }).click();
    await page.getByRole("menuitem", { name: language }).click();
  },
});
