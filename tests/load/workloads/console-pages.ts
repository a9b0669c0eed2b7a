import { setTimeout as sleep } from "node:timers/promises";

/** The pages that an owner opens most. */
const PAGES = ["/", "/keys", "/requests"];

/** Loads a page, with all the work that its server does for it. Throws if the answer is not a page. */
export type Visit = (path: string) => Promise<void>;

const cookiesOf = (reply: Response) => reply.headers.getSetCookie().map((line) => line.split(";")[0] ?? "");

/** Signs a user in, as the browser's form does. */
export async function openConsole(url: string, user: { email: string; password: string }): Promise<Visit> {
  const csrf = await fetch(`${url}/api/auth/csrf`);
  const { csrfToken } = (await csrf.json()) as { csrfToken: string };
  const entered = await fetch(`${url}/api/auth/callback/credentials`, {
    method: "POST",
    headers: { cookie: cookiesOf(csrf).join("; ") },
    body: new URLSearchParams({ ...user, csrfToken, json: "true" }),
    redirect: "manual",
  });
  const cookie = [...cookiesOf(csrf), ...cookiesOf(entered)].join("; ");
  return async (path) => {
    const reply = await fetch(`${url}${path}`, { headers: { cookie }, redirect: "manual" });
    const text = await reply.text();
    if (reply.status !== 200 || !text.includes("</html>")) {
      throw new Error(`the console answered ${path} with ${reply.status}`);
    }
  };
}

/** Loads the pages above in turn, `perSecond` a second, whether or not earlier ones have arrived. */
export async function visitPages(
  visit: Visit,
  { perSecond, durationMs }: { perSecond: number; durationMs: number },
): Promise<void> {
  const visits: Promise<void>[] = [];
  for (let number = 0; (number * 1_000) / perSecond < durationMs; number++) {
    visits.push(visit(PAGES[number % PAGES.length] ?? "/"));
    await sleep(1_000 / perSecond);
  }
  await Promise.all(visits);
}
