import { keysPage } from "../pages/keys-page";
import { signIn } from "../pages/sign-in-page";
import { expect, test } from "../support/flow";

test("a click on a button that does not listen yet is done as soon as it does", async ({
  page,
  t,
  customer,
}) => {
  await signIn(page, t, customer.owner);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/_next\/static\/.*\.js/, async (route) => {
    await released;
    await route.continue();
  });
  await page.goto("/keys", { waitUntil: "commit" });
  const form = await keysPage(page, t).openForm();
  await expect(form).toHaveCount(0);
  release();
  await expect(form.getByLabel(t("keys.name"))).toBeVisible();
});
