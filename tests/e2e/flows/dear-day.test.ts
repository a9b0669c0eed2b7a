import { branded } from "@/tests/support/branded";
import { enter } from "../pages/sign-in-page";
import { findViolations } from "../support/axe";
import { countActions } from "../support/count-actions";
import { makeDearDay } from "../support/dear-day";
import { expect, test } from "../support/flow";

test("an owner sees why yesterday was expensive, down to the dearest call, by keyboard alone", async ({
  page,
  t,
  customer,
}) => {
  await customer.newKey("nightly evaluation");
  const session = await customer.session();
  const [key] = (await session.keys.list.query({})).rows;
  const keyId = key?.id ?? "";
  const { day, dearest } = await makeDearDay({
    ...{ accountId: branded(customer.accountId), keyId, modelId: "claude-sonnet" },
  });
  const date = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", timeZone: "UTC" });
  const name = date.format(new Date(day));

  const actions = await countActions(page);
  await enter(page, customer.owner, "/usage?range=yesterday");
  const main = page.getByRole("main");
  await expect(main).toContainText(`${name} was 20 × your usual day (¥1.00).`);
  await expect(main).toContainText("nightly evaluation → claude-sonnet, 57 requests, ¥20.11");
  await expect(page.getByLabel(t("usage.range"))).toHaveValue("yesterday");

  const press = async (role: "link" | "radio" | "button", accessibleName: string) => {
    const target = main.getByRole(role, { name: accessibleName, exact: true }).first();
    await target.focus();
    await page.keyboard.press(role === "radio" ? "Space" : "Enter");
  };
  await press("link", name);
  await expect(page).toHaveURL(new RegExp(`from=${day}&to=${day}`));
  await press("radio", t("overview.views.table"));
  await expect(page).toHaveURL(/view=table/);
  const hours = main.getByRole("table", { name: t("usage.overTime") });
  await expect(hours.getByRole("row")).toHaveCount(2);
  await hours.getByRole("link").focus();
  await page.keyboard.press("Enter");

  await expect(page).toHaveURL(new RegExp(`/requests\\?.*from=${day}`));
  const sums = main.getByRole("region", { name: t("requests.sums.title") });
  await expect(sums).toContainText("57");
  await expect(sums).toContainText("5,700");
  await expect(sums).toContainText("¥20.11");
  await press("button", t("requests.cost"));
  await expect(page).toHaveURL(/sort=-cost/);
  await expect(main.getByRole("row").nth(1)).toContainText("0.51");
  await expect(main).toContainText(t("requests.ranked.all", { count: 50 }));
  expect(await findViolations(page, "all")).toEqual([]);
  await main.getByRole("row").nth(1).getByRole("button").first().focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toContainText(dearest);
  expect.soft(actions).toEqual({ clicks: 5, fields: 0 });
  await page.keyboard.press("Escape");

  await press("link", t("requests.backToDay", { date: name }));
  await expect(page).toHaveURL(new RegExp(`/usage\\?.*from=${day}&to=${day}`));
  await expect(main).toContainText(`${name} was 20 × your usual day`);
});
