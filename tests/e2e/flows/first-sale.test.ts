import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ServerProcess, startServer } from "@/tests/support/process";
import { answerWith, sendJson, type UpstreamHandler } from "@/tests/support/upstream";
import { salePage } from "../pages/sale-page";
import { enter, open, signInPage } from "../pages/sign-in-page";
import { findViolations } from "../support/axe";
import { countActions } from "../support/count-actions";
import { uniqueName } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { pressAt, tabTo, typeAt } from "../support/keyboard";

/** A vendor that lists these models, and answers calls of them. */
const vendorOf =
  (names: string[]): UpstreamHandler =>
  (call, response, request) =>
    call.path === "/v1/models"
      ? sendJson(response, 200, { object: "list", data: names.map((id) => ({ id, object: "model" })) })
      : answerWith("All is well.")(call, response, request);

const KEY = "sk-proj-0123456789abcdef";
const HOST = "api.openai.com";

/** An installation with nothing but its admin. */
async function startEmpty() {
  const admin = { email: "admin@tollgate.test", password: "an admin's own password" };
  const dataDir = await mkdtemp(join(tmpdir(), "tollgate-empty-"));
  const server: ServerProcess = await startServer({
    ...{ SANDBOX: "false", CURRENCY: "USD", TOLLGATE_DATA_DIR: dataDir },
    ...{ TOLLGATE_ADMIN_EMAIL: admin.email, TOLLGATE_ADMIN_PASSWORD: admin.password },
  });
  const close = async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { url: server.url, admin, close };
}

test("from a vendor's key to a customer's first paid call, which both see, in 7 clicks and 4 fields", async ({
  page,
  otherPage,
  t,
  upstream,
}) => {
  upstream.answer(vendorOf(["gpt-4.1", "gpt-4.1-mini", "gpt-4.1-nano", "text-embedding-3-small"]));
  const { url, admin, close } = await startEmpty();
  try {
    await page.goto(`${url}/sign-in`);
    const signIn = signInPage(page, t);
    await signIn.fill(admin);
    await signIn.submit();
    await expect(page.getByRole("heading", { level: 1, name: t("shell.overview") })).toBeVisible();
    // From the signed-in admin on. Copying the link and the key would be two more clicks: the flow reads both.
    const actions = await countActions(page, otherPage);
    await page.getByRole("link", { name: t("overview.stepChannelAction") }).click();
    const sale = salePage(page, t);
    await sale.key().fill(KEY);
    await expect(sale.vendor()).toHaveValue("OpenAI");
    // Not counted: a person has the vendor's own address.
    const counted = { ...actions };
    await sale.pointAt(HOST, upstream.baseUrl);
    Object.assign(actions, counted);
    await sale.showModels().click();
    await expect(sale.row("gpt-4.1-mini")).toContainText("$0.48");
    await sale.sell(4).click();
    await expect(sale.sold(4)).toBeVisible();
    const email = "first@customer.test";
    await page.getByLabel(t("accounts.email")).fill(email);
    await page.getByRole("button", { name: t("sale.customerAction"), exact: true }).click();
    const link = await page.getByRole("region", { name: t("users.linkOf", { email }) }).innerText();

    await open(otherPage, link.trim());
    await otherPage.getByLabel(t("setPassword.password"), { exact: true }).fill("chosen by myself");
    await otherPage.getByRole("button", { name: t("setPassword.submit") }).click();
    await otherPage.getByRole("link", { name: t("overview.createKey") }).click();
    const dialog = otherPage.getByRole("dialog");
    await dialog.getByLabel(t("keys.name")).fill("app");
    await dialog.getByRole("button", { name: t("keys.createAction"), exact: true }).click();
    const secret = await dialog.getByLabel(t("keys.secretLabel"), { exact: true }).innerText();
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret.trim()}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-4.1", messages: [{ role: "user", content: "Hello" }] }),
    });
    expect(answer.status).toBe(200);

    // 10 tokens at $2.40 and 5 at $9.60 a million, on the operator's open page and on the customer's overview.
    const first = page.getByRole("region", { name: t("sale.firstTitle") });
    await expect(first).toContainText("$0.000072000");
    await expect(first.getByRole("heading", { name: t("requests.whyTitle") })).toBeVisible();
    expect(await findViolations(page, "all")).toEqual([]);
    expect(actions).toEqual({ clicks: 7, fields: 4 });
    await otherPage.goto(url);
    await expect(otherPage.getByRole("region", { name: t("overview.stepsDoneTitle") })).toContainText(
      "$0.000072000",
    );
    // Their requests would fail while the server stops.
    await Promise.all([page.close(), otherPage.close()]);
  } finally {
    await close();
  }
});

test("a key that the vendor refuses sells nothing, and the sale works once the key is right", async ({
  page,
  t,
  upstream,
}) => {
  const model = uniqueName("gpt");
  const list = vendorOf([model]);
  upstream.answer((call, response, request) =>
    call.path === "/v1/models"
      ? list(call, response, request)
      : sendJson(response, 401, { error: { message: "no such credential" } }),
  );
  await enter(page, deployment.admin(), "/channels/new");
  const sale = salePage(page, t);
  await sale.key().fill(KEY);
  await sale.pointAt(HOST, upstream.baseUrl);
  await sale.showModels().click();
  await page
    .getByRole("textbox", { name: t("sale.typedPrice", { name: model, price: t("sale.input") }) })
    .fill("3");
  await page
    .getByRole("textbox", { name: t("sale.typedPrice", { name: model, price: t("sale.output") }) })
    .fill("9");
  await sale.sell(1).click();
  await expect(page.getByText("no such credential")).toBeVisible();
  expect(await findViolations(page, "all")).toEqual([]);
  upstream.answer(list);
  await sale.sell(1).click();
  await expect(sale.sold(1)).toBeVisible();
  expect(await findViolations(page, "all")).toEqual([]);
});

test("the three steps and the invitation of a customer work by keyboard alone, from the menu on", async ({
  page,
  t,
  upstream,
}) => {
  const models = [uniqueName("gpt"), uniqueName("gpt")];
  upstream.answer(vendorOf(models));
  await enter(page, deployment.admin(), "/");
  await pressAt(page.getByRole("link", { name: t("shell.channels"), exact: true }));
  await pressAt(page.getByRole("link", { name: t("channels.create"), exact: true }));
  const sale = salePage(page, t);
  await typeAt(sale.key(), KEY);
  await pressAt(page.getByRole("button", { name: t("sale.addressChange", { address: HOST }) }));
  await typeAt(page.getByLabel(t("channels.baseUrl")), upstream.baseUrl);
  await page.keyboard.press("Enter");
  // Without a list price nothing is chosen at first.
  await pressAt(sale.choose(models[0] ?? ""), "Space");
  await page.keyboard.press("Tab");
  await page.keyboard.type("3");
  await page.keyboard.press("Enter");
  await expect(sale.sold(1)).toBeFocused();

  const email = `${uniqueName("invited")}@tollgate.test`;
  await typeAt(page.getByLabel(t("accounts.email")), email);
  await page.keyboard.press("Enter");
  const label = t("users.linkOf", { email });
  await expect(page.getByRole("region", { name: label })).toContainText("/set-password#");
  await tabTo(page.getByRole("button", { name: label, exact: true }));
});

test("new models of a channel's vendor are added with one click, and those that it removed go", async ({
  page,
  t,
  operator,
  upstream,
}) => {
  const [old, kept, fresh] = [uniqueName("gpt"), uniqueName("gpt"), uniqueName("gpt")];
  const { channelId } = await operator.channels.open.mutate({
    ...{ name: uniqueName("channel"), vendor: "openai", baseUrl: upstream.baseUrl, secrets: [KEY] },
    models: [{ upstreamName: old }, { upstreamName: kept }],
  });
  const free = { kind: "chat" as const, isFree: true };
  await operator.prices.create.mutate({ ...free, id: fresh });
  upstream.answer(vendorOf([kept, fresh]));
  const actions = await countActions(page);
  await enter(page, deployment.admin(), `/channels/${channelId}`);
  await page.getByRole("button", { name: t("sale.check"), exact: true }).click();
  await expect(page.getByText(t("sale.changes", { added: 1, gone: 1 }))).toBeVisible();
  await page.getByRole("button", { name: t("sale.addAction", { added: 1, gone: 1 }), exact: true }).click();
  await expect(page.getByText(t("sale.addedNotice", { count: 1 }))).toBeVisible();
  expect.soft(actions).toEqual({ clicks: 2, fields: 0 });
  const { models } = await operator.channels.get.query({ channelId });
  expect(models.map(({ modelId }) => modelId).sort()).toEqual([kept, fresh].sort());
});
