import { branded } from "@/tests/support/branded";
import { enter } from "../pages/sign-in-page";
import { findViolations } from "../support/axe";
import { countActions } from "../support/count-actions";
import { makeDearDay } from "../support/dear-day";
import { expect, test } from "../support/flow";
import { pressAt, tabBackTo, tabTo } from "../support/keyboard";

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

  await pressAt(main.getByRole("link", { name, exact: true }).first());
  await expect(page).toHaveURL(new RegExp(`from=${day}&to=${day}`));
  // The Tab key goes to the chosen one of radio buttons, and an arrow to the next.
  await tabTo(main.getByRole("radio", { name: t("overview.views.chart"), exact: true }));
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/view=table/);
  const hours = main.getByRole("table", { name: t("usage.overTime") });
  await expect(hours.getByRole("row")).toHaveCount(2);
  await pressAt(hours.getByRole("link"));

  await expect(page).toHaveURL(new RegExp(`/requests\\?.*from=${day}`));
  const sums = main.getByRole("region", { name: t("requests.sums.title") });
  await expect(sums).toContainText("57");
  await expect(sums).toContainText("5,700");
  await expect(sums).toContainText("¥20.11");
  await pressAt(main.getByRole("button", { name: t("requests.cost"), exact: true }));
  await expect(page).toHaveURL(/sort=-cost/);
  await expect(main.getByRole("row").nth(1)).toContainText("0.51");
  await expect(main).toContainText(t("requests.ranked.all", { count: 50 }));
  expect(await findViolations(page, "all")).toEqual([]);
  await pressAt(main.getByRole("row").nth(1).getByRole("button").first());
  await expect(page.getByRole("dialog")).toContainText(dearest);
  expect.soft(actions).toEqual({ clicks: 5, fields: 0 });
  await page.keyboard.press("Escape");

  const back = main.getByRole("link", { name: t("requests.backToDay", { date: name }), exact: true });
  await tabBackTo(back.first());
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/usage\\?.*from=${day}&to=${day}`));
  await expect(main).toContainText(`${name} was 20 × your usual day`);
});
