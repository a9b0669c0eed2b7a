import { expect, type Page } from "@playwright/test";
import type { ConsoleTexts } from "../support/texts";

export type ChannelForm = { name: string; baseUrl: string; credential: string; model: string };

/** The operator's channels, and the form of a new one. */
export const channelsPage = (page: Page, t: ConsoleTexts) => ({
  row: (name: string) => page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) }),
  fillNew: async ({ name, baseUrl, credential, model }: ChannelForm) => {
    await page.getByRole("link", { name: t("channels.create"), exact: true }).click();
    await page.getByRole("link", { name: t("sale.byHand"), exact: true }).click();
    await page.getByRole("textbox", { name: t("channels.nameField"), exact: true }).fill(name);
    await page.getByLabel(t("channels.baseUrl")).fill(baseUrl);
    await page.getByLabel(t("channels.credentialNew", { number: 1 })).fill(credential);
    await page.getByLabel(`${t("channels.publicName")} 1`).fill(model);
  },
  test: () => page.getByRole("button", { name: t("channels.testRun") }).click(),
  save: async (name: string) => {
    await page.getByRole("button", { name: t("channels.createAction"), exact: true }).click();
    await expect(page.getByText(t("channels.createdNotice", { name }))).toBeVisible();
  },
});
