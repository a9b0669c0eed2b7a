/** Choices at the very moment at which a page begins to listen. */
import { earlyClicks } from "@/app/early-clicks";
import { expect, test } from "../support/flow";

/** React hydrates a part of a page during the event that arrives for it, and restores the earlier choice. */
const takesOverAt = (type: "input" | "change") => `
  <select><option>before</option><option>after</option></select>
  <script>${earlyClicks}</script>
  <script>
    const select = document.querySelector("select");
    const heard = [];
    addEventListener(${JSON.stringify(type)}, () => {
      if ("__reactProps$1" in select) return;
      select.__reactProps$1 = {};
      select.value = "before";
    }, true);
    document.addEventListener("change", () => {
      if ("__reactProps$1" in select) heard.push(select.value);
    });
  </script>`;

for (const type of ["input", "change"] as const) {
  test(`a choice during whose ${type} React hydrates the select counts once`, async ({ page }) => {
    await page.setContent(takesOverAt(type));
    await page.getByRole("combobox").selectOption("after");
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 100))");
    expect(await page.evaluate("heard")).toEqual(["after"]);
    await expect(page.getByRole("combobox")).toHaveValue("after");
  });
}
