import { expect, type Page } from "@playwright/test";
import type { Texts } from "../support/texts";

/** The management keys of an account, or of the installation, and what opens over them. */
export const managementKeysPage = (page: Page, t: Texts) => {
  const dialog = page.getByRole("dialog");
  const row = (name: string) => page.getByRole("row").filter({ hasText: name });
  const createButton = page.getByRole("button", { name: t("managementKeys.create"), exact: true });
  const revokeButton = (name: string) =>
    row(name).getByRole("button", { name: `${t("managementKeys.revoke")} ${name}`, exact: true });
  return {
    row,
    /** Where there are no keys yet, there are two. */
    createButton,
    revokeButton,
    /** Answers with the secret and the code as they are shown, once. */
    create: async (name: string, { isReadOnly = false } = {}): Promise<{ secret: string; code: string }> => {
      await createButton.first().click();
      await dialog.getByLabel(t("managementKeys.name")).fill(name);
      await dialog.getByLabel(t("managementKeys.readOnly")).setChecked(isReadOnly);
      await dialog.getByRole("button", { name: t("managementKeys.createAction") }).click();
      const secret = await dialog.getByLabel(t("managementKeys.secretLabel"), { exact: true }).innerText();
      const code = await dialog.getByRole("region", { name: t("managementKeys.snippetTitle") }).innerText();
      return { secret: secret.trim(), code };
    },
    /** The dialog with the secret, which nobody has copied. */
    leaveSecret: async () => {
      await dialog.getByRole("button", { name: t("keys.done"), exact: true }).click();
      await dialog.getByRole("button", { name: t("keys.notCopiedClose") }).click();
      await expect(dialog).toHaveCount(0);
      // The address follows a moment later, and would open the dialog again.
      await expect(page).not.toHaveURL(/create/);
    },
    /** Until the console says that it is done. */
    revoke: async (name: string) => {
      await revokeButton(name).click();
      await dialog.getByRole("textbox").fill(name);
      await dialog.getByRole("button", { name: t("managementKeys.revokeAction") }).click();
      await expect(page.getByText(t("managementKeys.revokedNotice", { name }))).toBeVisible();
    },
  };
};
