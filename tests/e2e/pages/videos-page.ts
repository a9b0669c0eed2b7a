import type { Page } from "@playwright/test";
import type { ConsoleTexts } from "../support/texts";

/** The list of video tasks, and the dialog of one task. */
export const videosPage = (page: Page, t: ConsoleTexts) => {
  const dialog = page.getByRole("dialog", { name: t("videos.detailTitle") });
  return {
    row: (prompt: string) =>
      page.getByRole("row").filter({ has: page.getByRole("button", { name: prompt, exact: true }) }),
    open: (prompt: string) => page.getByRole("button", { name: prompt, exact: true }).click(),
    dialog,
    close: () => dialog.getByRole("button", { name: t("common.close"), exact: true }).click(),
    cancel: async () => {
      await dialog.getByRole("button", { name: t("videos.cancel"), exact: true }).click();
      await dialog.getByRole("button", { name: t("videos.cancelNow"), exact: true }).click();
    },
  };
};
