import { enter } from "../pages/sign-in-page";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { VIDEO_MODEL } from "../support/gateway";

test("an address that names a model of the price list leads to that model", async ({ page }) => {
  await enter(page, deployment.admin(), `/prices?model=${VIDEO_MODEL}`);
  await page.waitForURL(`**/prices/model?id=${VIDEO_MODEL}`);
  await expect(page.getByRole("heading", { level: 1, name: VIDEO_MODEL })).toBeVisible();
});
