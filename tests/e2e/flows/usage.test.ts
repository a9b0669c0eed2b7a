import { answerWith, usage } from "@/tests/support/upstream";
import { enter } from "../pages/sign-in-page";
import { uniqueName } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";
import { channelTo, sell } from "../support/sold";

test("an owner sees where the money went by day, by model and by key, down to the calls, and the operator sees it by account", async ({
  page,
  otherPage,
  t,
  operator,
  customer,
  upstream,
}) => {
  const [dear, cheap] = [uniqueName("dear"), uniqueName("cheap")];
  // 20 tokens per call: 2 for the expensive model, 0.2 for the other.
  for (const [id, price] of [
    [dear, "100000"],
    [cheap, "10000"],
  ] as const) {
    await sell(operator, id, { price });
  }
  const channel = await channelTo(operator, {
    ...{ name: dear, upstream },
    models: [dear, cheap].map((id) => ({ modelId: id, upstreamName: id, overrides: {} })),
  });
  upstream.answer(answerWith("All is well.", usage(10, 10)));
  const [app, script] = [
    callerWith(await customer.newKey("app")),
    callerWith(await customer.newKey("script")),
  ];
  await expect.poll(() => app.chat(dear)).toBe(200);
  for (const caller of [script, script, script]) {
    expect(await caller.chat(cheap)).toBe(200);
  }
  await operator.channels.remove.mutate({ channelId: channel.id });

  await enter(page, customer.owner, "/");
  const overview = page.getByRole("img", {
    name: t("overview.chartLabel", { measure: t("overview.measures.cost") }),
  });
  await overview.locator(".recharts-bar-rectangle path").first().hover();
  await expect(overview).toContainText(dear);
  await expect(overview).toContainText(t("common.columnTotal", { total: "¥2.60" }));
  await overview.locator(".recharts-bar-rectangle path").first().click();
  await expect(page).toHaveURL(/\/usage\?from=(2\d{3}-\d\d-\d\d)&to=\1$/);
  await page.goto("/usage");
  const rows = page.getByRole("main").getByRole("table").getByRole("row");
  await expect(rows.nth(1)).toContainText(dear);
  await expect(rows.nth(1)).toContainText("76.9%");
  await expect(rows.nth(2)).toContainText("0.6");
  const chart = page.getByRole("img", {
    name: t("usage.chartLabel", { measure: t("overview.measures.cost") }),
  });
  await expect(chart.locator(".recharts-bar")).toHaveCount(2);
  await page.getByRole("button", { name: dear, exact: true, pressed: true }).click();
  await expect(chart.locator(".recharts-bar")).toHaveCount(1);
  await page.getByRole("button", { name: dear, exact: true, pressed: false }).click();
  await expect(chart.locator(".recharts-bar")).toHaveCount(2);
  await page.getByLabel(t("usage.by")).selectOption("key");
  await expect(page).toHaveURL(/by=key/);
  await expect(rows.nth(1)).toContainText("app");
  await rows.nth(2).getByRole("link", { name: "script" }).click();
  await expect(page).toHaveURL(/\/requests\?.*key=/);
  await expect(page.getByRole("row", { name: cheap })).toHaveCount(3);
  await expect(page.getByRole("row", { name: dear })).toHaveCount(0);

  await page.goto("/usage?range=last-month");
  await expect(page.getByRole("main")).toContainText(t("usage.emptyTitle"));

  await enter(otherPage, deployment.admin(), "/all-usage?by=account&range=day");
  await expect(otherPage.getByRole("row", { name: customer.name })).toContainText("2.6");
});
