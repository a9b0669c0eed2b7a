import { enter } from "../pages/sign-in-page";
import { uniqueName } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";

test("a filter of the audit log that finds nothing is cleared where that is said", async ({
  page,
  t,
  customer,
}) => {
  await enter(page, deployment.admin(), `/audit?actor=${uniqueName("unknown")}`);
  const main = page.getByRole("main");
  const title = page.getByRole("heading", { name: t("audit.noMatchTitle") });
  const note = main.locator(".mantine-Paper-root").filter({ has: title });
  await note.getByRole("button", { name: t("common.clearFilters") }).press("Enter");
  await expect(main.getByRole("table", { name: t("shell.audit") })).toContainText(customer.name);
});
