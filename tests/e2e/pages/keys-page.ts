import { expect, type Page } from "@playwright/test";
import type { Texts } from "../support/texts";

/** The list of keys, and what opens over it. */
export const keysPage = (page: Page, t: Texts) => {
  const row = (name: string) =>
    page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
  const choose = async (name: string, action: "enable" | "disable" | "delete") => {
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
  return {
    row,
    open: async (name: string) => {
      await page.getByRole("link", { name, exact: true }).click();
      await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
    },
    openForm,
    /** Answers with the secret as it is shown, once. */
    create: async (name: string, { cap }: { cap?: string } = {}): Promise<string> => {
      await openForm();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel(t("keys.name")).fill(name);
      if (cap) {
        await dialog.getByLabel(t("keys.cap")).fill(cap);
      }
      await dialog.getByRole("button", { name: t("keys.createAction") }).click();
      const secret = await dialog.getByLabel(t("keys.secretLabel"), { exact: true }).innerText();
      return secret.trim();
    },
    /** The dialog with the secret, which nobody has copied. */
    leaveSecret: async () => {
      await page.getByRole("button", { name: t("keys.done"), exact: true }).click();
      await page.getByRole("button", { name: t("keys.notCopiedClose") }).click();
      await expect(page.getByRole("dialog")).toHaveCount(0);
    },
    /** Until the console says that it is done. */
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

/** The addresses of one key. */
export const allowListEditor = (page: Page, t: Texts) => ({
  add: async (rule: string) => {
    await page.getByRole("button", { name: t("allowList.add"), exact: true }).click();
    await page
      .getByLabel(/^Rule \d+$/)
      .last()
      .fill(rule);
  },
  addHere: () => page.getByRole("button", { name: /^Add my address/ }).click(),
  /** That somebody who calls now would be locked out. */
  warning: () => page.getByRole("alert").filter({ hasText: "403" }),
  save: async () => {
    const section = page.locator("section").filter({
      has: page.getByRole("heading", { name: t("allowList.title") }),
    });
    await section.getByRole("button", { name: t("common.save"), exact: true }).click();
    await expect(section.getByRole("button", { name: t("common.save"), exact: true })).toBeDisabled();
  },
});
