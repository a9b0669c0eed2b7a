import { expect, type Page } from "@playwright/test";
import type { ConsoleTexts } from "../support/texts";

/** The list of keys, and its dialogs. */
export const keysPage = (page: Page, t: ConsoleTexts) => {
  const row = (name: string) =>
    page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
  const choose = async (name: string, action: "enable" | "disable" | "rotate" | "duplicate" | "delete") => {
    await page.getByRole("button", { name: t("common.moreActions", { name }) }).click();
    await page.getByRole("menuitem", { name: t(`keys.${action}`) }).click();
  };
  const openForm = async () => {
    await page
      .getByRole("button", { name: t("keys.create"), exact: true })
      .first()
      .click();
    return page.getByRole("dialog", { name: t("keys.createTitle") });
  };
  /** Shows fields that few keys need, in the open form. */
  const unfold = (fields: "limits" | "access" | "responses") =>
    page.getByText(t(`keys.${fields}Hint`), { exact: true }).click();
  /** The secret in the open dialog. */
  const shownSecret = async (): Promise<string> => {
    const secret = await page
      .getByRole("dialog")
      .getByLabel(t("keys.secretLabel"), { exact: true })
      .innerText();
    return secret.trim();
  };
  return {
    row,
    open: async (name: string) => {
      await page.getByRole("link", { name, exact: true }).click();
      await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
    },
    openForm,
    unfold,
    /** Returns the secret, which is shown once. */
    create: async (name: string, { cap = "" }: { cap?: string } = {}): Promise<string> => {
      await openForm();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel(t("keys.name")).fill(name);
      if (cap !== "") {
        await unfold("limits");
        await dialog.getByLabel(t("keys.cap"), { exact: true }).fill(cap);
      }
      await dialog.getByRole("button", { name: t("keys.createAction") }).click();
      return await shownSecret();
    },
    /** In the list. The old secret stays for an hour, or ends at once. Returns the new one. */
    rotate: async (name: string, keep: "keepHour" | "keepNone"): Promise<string> => {
      await choose(name, "rotate");
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("radio", { name: t(`keys.${keep}`) }).check();
      await dialog.getByRole("button", { name: t("keys.rotateAction") }).click();
      return await shownSecret();
    },
    duplicate: async (name: string, as: string): Promise<string> => {
      await choose(name, "duplicate");
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel(t("keys.name")).fill(as);
      await dialog.getByRole("button", { name: t("keys.duplicateAction") }).click();
      return await shownSecret();
    },
    /** Disables several keys at once. */
    disableAll: async (names: string[]) => {
      for (const name of names) {
        await page.getByRole("checkbox", { name: t("keys.chooseKey", { name }) }).check();
      }
      await page.getByRole("button", { name: t("keys.disableChosen") }).click();
      await expect(page.getByText(t("keys.disabledSeveral", { count: names.length }))).toBeVisible();
    },
    /** On a key's page. */
    retire: async (name: string) => {
      await page.getByRole("button", { name: t("keys.retire") }).click();
      await page
        .getByRole("dialog")
        .getByRole("button", { name: t("keys.retireAction") })
        .click();
      await expect(page.getByText(t("keys.retiredNotice", { name }))).toBeVisible();
    },
    /** Closes the dialog with the secret without copying it. */
    leaveSecret: async () => {
      await page.getByRole("button", { name: t("keys.done"), exact: true }).click();
      await page.getByRole("button", { name: t("keys.notCopiedClose") }).click();
      await expect(page.getByRole("dialog")).toHaveCount(0);
      // The address changes a moment later, and would open the dialog again.
      await expect(page).not.toHaveURL(/create/);
    },
    /** Waits until the console confirms it. */
    disable: async (name: string) => {
      await choose(name, "disable");
      await expect(page.getByText(t("keys.disabledNotice", { name }))).toBeVisible();
    },
    enable: async (name: string) => {
      await choose(name, "enable");
      await expect(page.getByText(t("keys.enabledNotice", { name }))).toBeVisible();
    },
  };
};

/** The allow-list of one key. */
export const allowListEditor = (page: Page, t: ConsoleTexts) => ({
  add: async (rule: string) => {
    await page.getByRole("button", { name: t("allowList.add"), exact: true }).click();
    await page
      .getByLabel(/^Rule \d+$/)
      .last()
      .fill(rule);
  },
  addHere: () => page.getByRole("button", { name: /^Add my address/ }).click(),
  /** The warning that a call from here would now be refused. */
  warning: () => page.getByRole("alert").filter({ hasText: "403" }),
  save: async () => {
    const section = page.locator("section").filter({
      has: page.getByRole("heading", { name: t("allowList.title") }),
    });
    await section.getByRole("button", { name: t("common.save"), exact: true }).click();
    await expect(section.getByRole("button", { name: t("common.save"), exact: true })).toBeDisabled();
  },
});
