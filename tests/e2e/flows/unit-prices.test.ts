import { sendJson } from "@/tests/support/upstream";
import { enter } from "../pages/sign-in-page";
import { uniqueName } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { newestRequest } from "../support/people";
import { channelTo } from "../support/sold";

test("an operator sells pictures by their size, and a customer who buys one sees its charge", {
  tag: "@smoke",
}, async ({ page, t, operator, customer, upstream }) => {
  const model = uniqueName("pictures");
  await enter(page, deployment.admin(), "/prices/new");
  await page.getByRole("textbox", { name: t("prices.id") }).fill(model);
  await page.getByLabel(t("prices.kind"), { exact: true }).selectOption(t("prices.kinds.image"));
  const addPrice = async (unit: string, price: string, row: number) => {
    await page.getByRole("button", { name: t("prices.addUnit") }).click();
    await page.getByLabel(t("prices.unit"), { exact: true }).nth(row).fill(unit);
    await page.getByLabel(t("prices.unitPrice"), { exact: true }).nth(row).fill(price);
  };
  await addPrice("image:1024x1024", "0.04", 0);
  await addPrice("pictures", "0.02", 1);
  await page.getByRole("button", { name: t("prices.createAction") }).click();
  await expect(page.getByText(t("prices.problems.unit"))).toBeVisible();
  await page.getByLabel(t("prices.unit"), { exact: true }).nth(1).fill("image");
  await page.getByRole("button", { name: t("prices.createAction") }).click();
  await expect(page.getByText(t("prices.createdNotice", { name: model }))).toBeVisible();

  const channel = await channelTo(operator, { name: model, upstream });
  upstream.answer((_asked, response) =>
    sendJson(response, 200, { created: 1, data: [{ url: "https://a.example/1" }] }),
  );
  const secret = await customer.newKey("app");
  const buy = async () => {
    const response = await fetch(`${deployment.baseUrl()}/v1/images/generations`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model, prompt: "a boat", size: "1024x1024", quality: "high" }),
    });
    return response.status;
  };
  await expect.poll(buy).toBe(200);
  const session = await customer.session();
  await expect.poll(() => newestRequest(session)).not.toBe("");
  await operator.channels.remove.mutate({ channelId: channel.id });

  await page.context().clearCookies();
  await enter(page, customer.owner, `/requests?request=${await newestRequest(session)}`);
  const drawer = page.getByRole("dialog");
  const detail = t("requests.unitOfImage", { name: t("requests.units.image"), detail: "1024x1024, high" });
  await expect(drawer.getByRole("row").filter({ hasText: detail })).toContainText("0.04");
});
