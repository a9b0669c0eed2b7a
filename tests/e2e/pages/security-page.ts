import { expect, type Page } from "@playwright/test";
import type { ConsoleTexts } from "../support/texts";

/** The page with a user's password, second factor and sessions. */
export const securityPage = (page: Page, t: ConsoleTexts) => {
  const dialog = page.getByRole("dialog");
  const shown = async (label: string) => {
    const region = dialog.getByRole("region", { name: label, exact: true });
    return (await region.innerText()).trim();
  };
  return {
    /** Returns the recovery codes. `codeOf` computes the authenticator app's code from the secret. */
    turnOnSecondFactor: async (password: string, codeOf: (secret: string) => string): Promise<string[]> => {
      await page.getByRole("button", { name: t("security.turnOn"), exact: true }).click();
      await dialog.getByLabel(t("security.current"), { exact: true }).fill(password);
      await dialog.getByRole("button", { name: t("security.continue"), exact: true }).click();
      await expect(dialog.getByRole("img", { name: t("security.qr") })).toBeVisible();
      const secret = await shown(t("security.secret"));
      await dialog.getByLabel(t("security.code")).fill(codeOf(secret));
      await dialog.getByRole("button", { name: t("security.confirm") }).click();
      const codes = (await shown(t("security.codes"))).split(/\s+/);
      await dialog.getByRole("button", { name: t("security.savedCodes") }).click();
      await expect(dialog).toHaveCount(0);
      return codes;
    },
    submitPassword: async ({ current, next }: { current: string; next: string }) => {
      await page.getByLabel(t("security.current"), { exact: true }).fill(current);
      await page.getByLabel(t("security.next"), { exact: true }).fill(next);
      await page.getByRole("button", { name: t("security.changePassword"), exact: true }).click();
    },
  };
};
