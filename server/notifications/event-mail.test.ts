import { expect, test } from "vitest";
import { type EmailEvent, write } from "./event-mail";

const owner = {
  language: "en",
  email: "owner@customer.test",
  unsubscribeUrl: "https://gateway.test/unsubscribe?token=t",
  origin: "https://gateway.test",
  currency: "CNY",
  accountNames: null,
} as const;

const capped = (key: string): EmailEvent => ({
  type: "key.cap_threshold",
  data: { account_id: "acc_1", key_id: "key_1", key, percent: 80, spent: "8", cap: "10", period: "2026-11" },
});

test("an e-mail says in the reader's language what happened, and has links to it and to the settings", () => {
  const { subject, text, html } = write([capped("app")], owner);
  expect(subject).toBe('API key "app" has used 80% of its cap for 2026-11');
  expect(text).toContain("8 of 10 CNY is used.\nhttps://gateway.test/keys/key_1");
  expect(text).toContain("https://gateway.test/notifications");
  expect(text).toContain("Email alerts are on for owner@customer.test.");
  expect(text).toContain("Unsubscribe: https://gateway.test/unsubscribe?token=t");
  expect(html).toContain('<html lang="en">');
  expect(html).toContain('href="https://gateway.test/unsubscribe?token=t"');
  const ofWeek = { ...capped("app"), data: { ...capped("app").data, window: "week" } } as EmailEvent;
  expect(write([ofWeek], owner).subject).toContain("of its cap for the week of 2026-11");
  expect(write([capped("app")], { ...owner, language: "zh" }).subject).toBe(
    "API Key“app”已用 2026-11 上限的 80%",
  );
});

test("an operator's e-mail names the account and links to it", () => {
  const accountNames = new Map([["acc_1", "Northwind"]]);
  const { subject, text } = write([capped("app")], { ...owner, accountNames });
  expect(subject).toMatch(/^Northwind: API key/);
  expect(text).toContain("https://gateway.test/accounts/acc_1");
});

test("a name in an e-mail is neither markup nor another header, however long it is", () => {
  const { subject, html } = write(
    [capped(`<img src=x onerror=alert(1)>\r\nBcc: all@x.test ${"y".repeat(500)}`)],
    owner,
  );
  expect(subject).not.toMatch(/[\r\n]/);
  expect(subject.length).toBeLessThan(200);
  expect(html).not.toContain("<img");
  expect(html).toContain("&lt;img src=x");
});

test("many events make one e-mail, which lists the first thirty and counts all", () => {
  const many = Array.from({ length: 45 }, (_, index) => capped(`key ${index}`));
  const { subject, text } = write(many, owner);
  expect(subject).toContain("(+44 more)");
  expect(text).toContain("15 more events happened");
  expect(text.match(/of 10 CNY is used/g)).toHaveLength(30);
});
