import type { Page } from "@playwright/test";
import { placesOf } from "@/app/(console)/_components/shell/navigation";
import { type Role, roles } from "@/server/domain/enums";
import { rolesOf, sideOf } from "@/server/domain/roles";
import { findViolations } from "../support/axe";
import { createPerson } from "../support/customer";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/screen";
import { openSession } from "../support/session";
import { settle } from "../support/settle";

const hrefsOf = (role: Role) => placesOf(role, deployment.takesPayments()).map(({ href }) => href);

/** The menu links of all roles on the same side as `role`. */
const hrefsBeside = (role: Role) => [...new Set(rolesOf(sideOf(role)).flatMap(hrefsOf))];

/** The links of a page inside the console, including its menu. */
const linksIn = (page: Page) =>
  page
    .locator("a[href^='/']")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? "").filter((href) => href));

/** One link for each page: the right to open it does not depend on the object or the filter in the link. */
function onePerPage(links: string[]): string[] {
  const pages = links.map(
    (link) => [link.replace(/[?#].*/, "").replace(/\/[a-z]+_\w+/g, "/:id"), link] as const,
  );
  return [...new Map(pages).values()];
}

/** Opens a page by the menu, which takes a fifth of the time of loading the console again. */
async function follow(page: Page, href: string): Promise<void> {
  const link = page.locator(`nav .nav-group a[href="${href}"]`);
  await link.click();
  await expect(link).toHaveAttribute("aria-current", "page");
}

/** Collects the addresses of the page's requests that the server refuses to this role. */
function collectForbidden(page: Page): string[] {
  const forbidden: string[] = [];
  page.on("response", async (response) => {
    const { pathname } = new URL(response.url());
    if (
      pathname.startsWith("/api/trpc/") &&
      (await response.text().catch(() => "")).includes('"FORBIDDEN"')
    ) {
      forbidden.push(pathname);
    }
  });
  return forbidden;
}

for (const role of roles) {
  test(`${role}: the menu has only pages of this role, none of them asks for or leads to anything that is refused, and axe finds nothing in them`, async ({
    people,
    operator,
    playwright,
    page,
    t,
  }) => {
    const accountId = sideOf(role) === "owner" ? people.accountId : null;
    const person = await createPerson(operator, { request: playwright.request, accountId, role });
    await openSession(page.request, person);
    const forbidden = collectForbidden(page);
    const links = new Set<string>();
    await page.goto(hrefsOf(role)[0] ?? "/");
    for (const href of hrefsOf(role)) {
      await follow(page, href);
      await settle(page, t);
      await expect.soft(page.getByRole("heading", { level: 1 })).toHaveCount(1);
      await expect.soft(page.getByText(t("common.notFoundTitle")), href).toHaveCount(0);
      expect.soft(await findViolations(page, "all"), href).toEqual([]);
      for (const link of await linksIn(page)) {
        links.add(link);
      }
    }
    expect.soft(forbidden).toEqual([]);
    const statusOf = async (href: string) => (await page.request.get(href)).status();
    // The pages of the menu have been opened above.
    const beyondTheMenu = onePerPage([...links, ...hrefsOf(role)]).filter(
      (link) => !hrefsOf(role).includes(link),
    );
    expect.soft(beyondTheMenu).not.toEqual([]);
    for (const link of beyondTheMenu) {
      expect.soft([link, await statusOf(link)]).toEqual([link, 200]);
    }
    for (const href of hrefsBeside(role).filter((path) => !hrefsOf(role).includes(path))) {
      expect.soft([href, await statusOf(href)]).toEqual([href, 404]);
    }
  });
}
