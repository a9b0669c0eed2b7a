import type { Page } from "@playwright/test";
import { keysPage } from "../pages/keys-page";
import { expect, test } from "../support/flow";
import { openSession } from "../support/session";

/** Keeps a page's scripts back, so that what is on it does not listen yet; answers what lets them go. */
async function holdScripts(page: Page): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/_next\/static\/.*\.js/, async (route) => {
    await released;
    await route.continue();
  });
  return () => release();
}

test("a click on a button that does not listen yet is done as soon as it does", async ({
  page,
  t,
  customer,
}) => {
  await openSession(page.request, customer.owner);
  const release = await holdScripts(page);
  await page.goto("/keys", { waitUntil: "commit" });
  const form = await keysPage(page, t).openForm();
  await expect(form).toHaveCount(0);
  release();
  await expect(form.getByLabel(t("keys.name"))).toBeVisible();
});

test("a shortcut that is pressed while nothing listens yet is done as soon as it does", async ({
  page,
  t,
  customer,
}) => {
  await openSession(page.request, customer.owner);
  const release = await holdScripts(page);
  await page.goto("/keys", { waitUntil: "commit" });
  await page.getByRole("heading", { level: 1, name: t("shell.keys") }).waitFor();
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("combobox", { name: t("shell.palettePlaceholder") });
  await expect(palette).toHaveCount(0);
  release();
  await expect(palette).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(palette).toHaveCount(0);
  await page.keyboard.press("Control+k");
  await expect(palette).toBeFocused();
});

test("a choice of a select that does not listen yet is made as soon as it does", async ({
  page,
  t,
  customer,
}) => {
  await openSession(page.request, customer.owner);
  const release = await holdScripts(page);
  await page.goto("/usage", { waitUntil: "commit" });
  const range = page.getByLabel(t("usage.range"));
  await range.selectOption("week");
  expect(new URL(page.url()).search).toBe("");
  release();
  await expect(page).toHaveURL(/[?&]range=week/);
  await expect(range).toHaveValue("week");
});

test("a choice that comes while the page is being taken over is made when it has been", async ({
  page,
  t,
  customer,
}) => {
  await openSession(page.request, customer.owner);
  // As slow a machine as that goes on for some time, in slices between which others have their turn.
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 8 });
  await page.addInitScript((label) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      const select =
        document.querySelector<HTMLSelectElement>(`select[aria-label="${label}"]`) ??
        [...document.querySelectorAll("label")].find((one) => one.textContent === label)?.control;
      if (
        !(select instanceof HTMLSelectElement) ||
        !Object.keys(select).some((name) => name.startsWith("__reactProps"))
      ) {
        port2.postMessage(null);
        return;
      }
      select.value = "week";
      // Both, in this order, are what a browser tells when somebody chooses.
      select.dispatchEvent(new Event("input", { bubbles: true }));
      select.dispatchEvent(new Event("change", { bubbles: true }));
    };
    port2.postMessage(null);
  }, t("usage.range"));
  await page.goto("/usage", { waitUntil: "commit" });
  await expect(page).toHaveURL(/[?&]range=week/);
  await expect(page.getByLabel(t("usage.range"))).toHaveValue("week");
});
