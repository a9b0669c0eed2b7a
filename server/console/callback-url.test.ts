import { NextRequest } from "next/server";
import { expect, test } from "vitest";
import { redirectWithin, withReadableCallback } from "./callback-url";

const baseUrl = "https://console.example";

test.each([
  ["/keys?create=true", "https://console.example/keys?create=true"],
  ["https://console.example/usage", "https://console.example/usage"],
  ["https://elsewhere.example/usage", baseUrl],
  ["//elsewhere.example", baseUrl],
  ["https://console.example.elsewhere.example", baseUrl],
  ["javascript:alert(1)", baseUrl],
  ["http://[", baseUrl],
  ["keys", baseUrl],
])("a sign-in with the callback URL %s leads to %s", (url, leads) => {
  expect(redirectWithin({ url, baseUrl })).toBe(leads);
});

const options = { providers: [] };
const requestTo = (address: string, cookie = "") =>
  new NextRequest(`${baseUrl}${address}`, { headers: { cookie } });

test.each([
  ["/api/auth/csrf?callbackUrl=http%3A%2F%2F%5B&x=1", "", "?x=1"],
  ["/api/auth/csrf?callbackUrl=javascript%3A1", "", ""],
  ["/api/auth/csrf?callbackUrl=%2Fkeys", "", "?callbackUrl=%2Fkeys"],
])("from %s a callback URL that is no address is removed", (address, cookie, query) => {
  expect(withReadableCallback(requestTo(address, cookie), options).request.nextUrl.search).toBe(query);
});

test.each([
  ["next-auth.callback-url=http%3A%2F%2F%5B", false],
  ["__Secure-next-auth.callback-url=x", false],
  ["next-auth.callback-url=https%3A%2F%2Fconsole.example", true],
  ["", true],
])("the cookie %j is read: %s", (cookie, isRead) => {
  const { cookies } = withReadableCallback(requestTo("/api/auth/csrf", cookie), options).options;
  expect(cookies === undefined).toBe(isRead);
});

test("a cookie that cannot be read is deleted, and not replaced", () => {
  const { options: own, mend } = withReadableCallback(
    requestTo("/api/auth/csrf", "next-auth.callback-url=http%3A%2F%2F%5B"),
    options,
  );
  const answer = new Response("{}", { status: 200 });
  answer.headers.append("set-cookie", `${own.cookies?.callbackUrl?.name}=/; Path=/`);
  answer.headers.append("set-cookie", "next-auth.csrf-token=1; Path=/");
  expect(mend(answer).headers.getSetCookie()).toEqual([
    "next-auth.csrf-token=1; Path=/",
    "next-auth.callback-url=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax",
  ]);
});
