import type { APIRequestContext } from "@playwright/test";
import { createTRPCClient, httpLink, type TRPCClient } from "@trpc/client";
import type { AppRouter } from "@/server/console";
import type { SignIn } from "../pages/sign-in-page";
import { deployment } from "./deployment";

/** The console's procedures under a session. */
export type Session = TRPCClient<AppRouter>;

async function enter(request: APIRequestContext, { email, password }: SignIn): Promise<void> {
  const csrf = await request.get(`${deployment.baseUrl()}/api/auth/csrf`);
  const { csrfToken } = (await csrf.json()) as { csrfToken: string };
  const answer = await request.post(`${deployment.baseUrl()}/api/auth/callback/credentials`, {
    form: { email, password, csrfToken, json: "true" },
    failOnStatusCode: false,
  });
  if (!answer.ok()) {
    throw new Error(`signing in as ${email}: ${answer.status()} ${await answer.text()}`);
  }
}

/** Signs in without a page. `request` keeps the session's cookie. */
export async function openSession(request: APIRequestContext, user: SignIn): Promise<Session> {
  await enter(request, user);
  return sessionOf(request);
}

/** Accepts an invitation by its link. */
export async function setPassword(request: APIRequestContext, link: { url: string; password: string }) {
  const { url, password } = link;
  return await sessionOf(request).links.setPassword.mutate({ token: new URL(url).hash.slice(1), password });
}

/** The procedures for the user of the cookies in `request`. */
export function sessionOf(request: APIRequestContext): Session {
  return createTRPCClient<AppRouter>({
    links: [
      httpLink({
        url: `${deployment.baseUrl()}/api/trpc`,
        fetch: async (url, init) => {
          const answer = await request.fetch(String(url), {
            method: init?.method ?? "GET",
            headers: { "content-type": "application/json" },
            ...(typeof init?.body === "string" && { data: init.body }),
          });
          return new Response(await answer.text(), { status: answer.status(), headers: answer.headers() });
        },
      }),
    ],
  });
}
