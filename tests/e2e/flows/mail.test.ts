import { startMailServer } from "@/tests/support/mail-server";
import { answerWith, usage } from "@/tests/support/upstream";
import { enter } from "../pages/sign-in-page";
import { uniqueName } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";
import { sellOn } from "../support/sold";

// biome-ignore lint/suspicious/noSkippedTests: a deployment of somebody's hands its letters to somebody else.
test.skip(() => deployment.mailPort() === null, "its letters do not come here");
test.use({ quota: "1" });

test("an owner is warned at 80 % of the quota by e-mail, in the language that they chose", async ({
  page,
  t,
  operator,
  customer,
  upstream,
}) => {
  const mail = await startMailServer(deployment.mailPort() ?? 0);
  const model = uniqueName("model");
  await sellOn(operator, { model, upstream });
  upstream.answer(answerWith("All is well.", usage(850_000, 10)));
  const { email } = customer.owner;

  await enter(page, customer.owner, "/notifications");
  const row = page
    .getByRole("table", { name: t("alerts.title"), exact: true })
    .getByRole("row", { name: email });
  await row.getByRole("button", { name: t("alerts.choose") }).click();
  const dialog = page.getByRole("dialog", { name: t("alerts.chooseTitle", { email }) });
  await dialog.getByLabel(t("alerts.language")).selectOption("zh");
  await dialog.getByRole("button", { name: t("alerts.chooseAction"), exact: true }).click();
  await expect(row).toContainText("quota.threshold");
  await expect(row).toContainText(t("alerts.languages.zh"));

  const caller = callerWith(await customer.newKey("app"));
  await expect.poll(() => caller.chat(model)).toBe(200);
  const letters = () => mail.received.filter(({ recipients }) => recipients.includes(email));
  await expect.poll(() => letters().length).toBe(1);
  const [letter] = letters();
  expect(letter?.subject).toContain("额度已用 80%");
  expect(letter?.text).toContain("0.85001");
  expect(letter?.text).toContain(`${deployment.baseUrl()}/`);
  await mail.close();
});
