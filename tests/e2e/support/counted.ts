import type { Locator } from "@playwright/test";

/** What a person does with the mouse and in fields, counted. */
export function countActions() {
  const counts = { clicks: 0, fields: 0 };
  return {
    counts,
    click: async (target: Locator) => {
      counts.clicks++;
      await target.click();
    },
    fill: async (target: Locator, text: string) => {
      counts.fields++;
      await target.fill(text);
    },
  };
}
