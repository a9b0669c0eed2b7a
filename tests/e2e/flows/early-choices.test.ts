/** What is chosen and clicked before a page listens, or at the very moment it begins to. */
import { earlyClicks } from "@/app/early-clicks";
import { signIn } from "../pages/sign-in-page";
import { expect, test } from "../support/flow";

test("a choice that comes before the scripts do is made when they have come", async ({
  page,
  customer,
  t,
}) => {
  await signIn(page, t, customer.owner);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/_next/static/**/*.js", async (route) => {
    await released;
    await route.continue();
  });
  await page.goto("/billing", { waitUntil: "commit" });
  const kind = page.getByRole("combobox", { name: t("billing.kind"), exact: true });
  await kind.selectOption("capture");
  release();
  await expect(page).toHaveURL(/kind=capture/);
  await expect(kind).toHaveValue("capture");
});

/** React takes a part of a page over in the middle of the event that comes for it, and puts back what was chosen before. */
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
  test(`a choice during whose ${type} React takes the select over is heard once`, async ({ page }) => {
    await page.setContent(takesOverAt(type));
    await page.getByRole("combobox").selectOption("after");
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 100))");
    expect(await page.evaluate("heard")).toEqual(["after"]);
    await expect(page.getByRole("combobox")).toHaveValue("after");
  });
}
