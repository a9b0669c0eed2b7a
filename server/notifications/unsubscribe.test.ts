import { expect, test } from "vitest";
import { readUnsubscribeToken, unsubscribeUrls } from "./unsubscribe";

const secrets = { authSecret: "a".repeat(32), previous: {} };
const tokenOf = (url: string) => new URL(url).searchParams.get("token") ?? "";

test("a link names its user to the installation that signed it, also after the secret was rotated", () => {
  const { page, oneClick } = unsubscribeUrls("https://gateway.test", secrets, "usr_1");
  expect(page).toMatch(/^https:\/\/gateway\.test\/unsubscribe\?token=usr_1\./);
  expect(oneClick).toMatch(/^https:\/\/gateway\.test\/api\/unsubscribe\?token=usr_1\./);
  expect(tokenOf(page)).toBe(tokenOf(oneClick));
  expect(readUnsubscribeToken(secrets, tokenOf(page))).toBe("usr_1");
  const rotated = { authSecret: "b".repeat(32), previous: { authSecret: secrets.authSecret } };
  expect(readUnsubscribeToken(rotated, tokenOf(page))).toBe("usr_1");
});

test("no other token names anyone", () => {
  const token = tokenOf(unsubscribeUrls("https://gateway.test", secrets, "usr_1").page);
  const signature = token.split(".")[1];
  const foreign = { authSecret: "b".repeat(32), previous: {} };
  expect(readUnsubscribeToken(foreign, token)).toBeNull();
  for (const forged of [
    `usr_2.${signature}`,
    "usr_1.",
    "usr_1",
    "",
    `usr_1.${signature?.slice(1)}`,
    token.slice(0, -2),
  ]) {
    expect(readUnsubscribeToken(secrets, forged), forged).toBeNull();
  }
});
