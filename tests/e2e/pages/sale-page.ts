import type { Page } from "@playwright/test";
import type { ConsoleTexts } from "../support/texts";

/** The three steps from a vendor's key to models on sale. */
export const salePage = (page: Page, t: ConsoleTexts) => ({
  key: () => page.getByLabel(t("sale.key")),
  vendor: () => page.getByRole("combobox", { name: t("channels.vendor") }),
  /** Points the preset at a simulated vendor, as a proxy does. */
  pointAt: async (host: string, baseUrl: string) => {
    await page.getByRole("button", { name: t("sale.addressChange", { address: host }) }).click();
    await page.getByLabel(t("channels.baseUrl")).fill(baseUrl);
  },
  showModels: () => page.getByRole("button", { name: t("sale.listModels"), exact: true }),
  row: (model: string) => page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: model }) }),
  choose: (model: string) =>
    page.getByRole("checkbox", { name: t("sale.choose", { name: model }), exact: true }),
  sell: (count: number) => page.getByRole("button", { name: t("sale.testAndSell", { count }), exact: true }),
  sold: (count: number) => page.getByRole("heading", { name: t("sale.sold", { count }) }),
});
