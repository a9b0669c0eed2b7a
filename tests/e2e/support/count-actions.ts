import type { Locator } from "@playwright/test";

/** Counts a person's clicks and filled fields. */
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
