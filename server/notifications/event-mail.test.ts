import { expect, test } from "vitest";
import { type EmailEvent, write } from "./event-mail";

const owner = {
  language: "en",
  email: "owner@customer.test",
  unsubscribeUrl: "https://gateway.test/unsubscribe?token=t",
  origin: "https://gateway.test",
  currency: "CNY",
  timeZone: "Asia/Shanghai",
  accountNames: null,
} as const;

const capped = (key: string): EmailEvent => ({
  type: "key.cap_threshold",
  data: { account_id: "acc_1", key_id: "key_1", key, percent: 80, spent: "8", cap: "10", period: "2026-11" },
});

test("an e-mail says in the reader's language what happened, and has links to it and to the settings", () => {
  const { subject, text, html } = write([capped("app")], owner);
  expect(subject).toBe("API key “app” has used 80% of its cap for November 2026");
  expect(text).toContain("¥8.00 of ¥10.00 is used.\nhttps://gateway.test/keys/key_1");
  expect(text).toContain("https://gateway.test/notifications");
  expect(text).toContain("Email alerts are on for owner@customer.test.");
  expect(text).toContain("Unsubscribe: https://gateway.test/unsubscribe?token=t");
  expect(html).toContain('<html lang="en">');
  expect(html).toContain('href="https://gateway.test/unsubscribe?token=t"');
  const week = { window: "week", period: "2026-11-23" };
  const ofWeek = { ...capped("app"), data: { ...capped("app").data, ...week } } as EmailEvent;
  expect(write([ofWeek], owner).subject).toContain("of its cap for the week of November 23, 2026");
  expect(write([capped("app")], { ...owner, language: "zh" }).subject).toBe(
    "API Key“app”已用2026年11月上限的 80%",
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
  expect(text.match(/of ¥10.00 is used/g)).toHaveLength(30);
});

test("amounts, days and moments are written for the reader, and a value of another form as it is", () => {
  const mailOf = (type: string, data: object, language: "en" | "zh" = "en") =>
    write([{ type, data: { account_id: "acc_1", ...data } } as EmailEvent], { ...owner, language });
  const anomaly = { hours: 24, spent: "1234.567890123", usual: "0.024692" };
  expect(mailOf("spend.anomaly", anomaly).subject).toBe("Unusual spend: ¥1,234.57 in 24 hours");
  expect(mailOf("spend.anomaly", anomaly).text).toContain("about ¥0.0247.");
  const limit = { percent: 80, spent: "8", limit: "10", period: "2026-11-29" };
  expect(mailOf("daily_limit.threshold", limit, "zh").subject).toBe("2026年11月29日的每日消费上限已用 80%");
  const recovered = { channel: "OpenAI", failing_since: "2026-11-29T17:30:00.000Z" };
  expect(mailOf("channel.recovered", recovered).text).toContain("since Nov 30, 2026, 01:30 (Asia/Shanghai).");
  const odd = { percent: 80, used: "?", available: null, period: "2026-11-23/P7D" };
  expect(mailOf("quota.threshold", odd).subject).toBe("80% of the quota for 2026-11-23/P7D is used");
});
