import { expect, type Page } from "@playwright/test";
import type { ConsoleTexts } from "../support/texts";

/** The management keys of an account or of the installation, and their dialogs. */
export const managementKeysPage = (page: Page, t: ConsoleTexts) => {
  const dialog = page.getByRole("dialog");
  const row = (name: string) => page.getByRole("row").filter({ hasText: name });
  const createButton = page.getByRole("button", { name: t("managementKeys.create"), exact: true });
  const revokeButton = (name: string) =>
    row(name).getByRole("button", { name: `${t("managementKeys.revoke")} ${name}`, exact: true });
  return {
    row,
    /** If there are no keys yet, the page has two of these buttons. */
    createButton,
    revokeButton,
    /** Returns the secret and the code, which are shown once. */
    create: async (name: string, { isReadOnly = false } = {}): Promise<{ secret: string; code: string }> => {
      await createButton.first().click();
      await dialog.getByLabel(t("managementKeys.name")).fill(name);
      await dialog.getByLabel(t("managementKeys.readOnly")).setChecked(isReadOnly);
      await dialog.getByRole("button", { name: t("managementKeys.createAction") }).click();
      const secret = await dialog.getByLabel(t("managementKeys.secretLabel"), { exact: true }).innerText();
      const code = await dialog.getByRole("region", { name: t("managementKeys.snippetTitle") }).innerText();
      return { secret: secret.trim(), code };
    },
    /** Closes the dialog with the secret without copying it. */
    leaveSecret: async () => {
      await dialog.getByRole("button", { name: t("keys.done"), exact: true }).click();
      await dialog.getByRole("button", { name: t("keys.notCopiedClose") }).click();
      await expect(dialog).toHaveCount(0);
      // The address changes a moment later, and would open the dialog again.
      await expect(page).not.toHaveURL(/create/);
    },
    /** Waits until the console confirms it. */
    revoke: async (name: string) => {
      await revokeButton(name).click();
      await dialog.getByRole("textbox").fill(name);
      await dialog.getByRole("button", { name: t("managementKeys.revokeAction") }).click();
      await expect(page.getByText(t("managementKeys.revokedNotice", { name }))).toBeVisible();
    },
  };
};
