import type { Page } from "@playwright/test";
import { shell } from "../pages/shell";
import { signInPage } from "../pages/sign-in-page";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { textsIn } from "../support/texts";

/** The theme and language of a page once it is parsed and before its first paint. */
async function firstLook(page: Page): Promise<{ scheme: string | null; lang: string | null }> {
  await page.addInitScript(() => {
    document.addEventListener("DOMContentLoaded", () => {
      const { mantineColorScheme } = document.documentElement.dataset;
      sessionStorage.setItem("first-look", `${mantineColorScheme} ${document.documentElement.lang}`);
    });
  });
  await page.reload();
  const [scheme = null, lang = null] = await page.evaluate(() =>
    (sessionStorage.getItem("first-look") ?? "").split(" "),
  );
  return { scheme, lang };
}

test("a theme and a language chosen before sign-in stay, and apply before the first paint", async ({
  page,
  t,
}) => {
  await signInPage(page, t).open();
  await shell(page, t).chooseTheme("themeDark");
  await shell(page, t).chooseLanguage("中文");
  const chinese = textsIn("zh");
  await expect(page.getByRole("heading", { level: 1, name: chinese("signIn.title") })).toBeVisible();
  expect(await firstLook(page)).toEqual({ scheme: "dark", lang: "zh-CN" });

  const form = signInPage(page, chinese);
  await form.fill(deployment.admin());
  await form.submit();
  await expect(page.getByRole("navigation", { name: chinese("shell.navigation") })).toBeVisible();
  expect(await firstLook(page)).toEqual({ scheme: "dark", lang: "zh-CN" });

  await shell(page, chinese).chooseTheme("themeLight");
  await shell(page, chinese).chooseLanguage("English");
  await expect(page.getByRole("navigation", { name: t("shell.navigation") })).toBeVisible();
  expect(await firstLook(page)).toEqual({ scheme: "light", lang: "en" });
});
