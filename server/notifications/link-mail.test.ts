import { expect, test } from "vitest";
import { type LinkKind, writeLink } from "./link-mail";

const url = "https://gateway.test/set-password#secret";
const mail = { to: "new@customer.test", language: "en", url, by: null } as const;
const kinds: LinkKind[] = ["invitation", "reset", "requested"];

test.each(kinds)(
  "an e-mail of the kind %s has its link as text and as a button, in both languages",
  (kind) => {
    for (const language of ["en", "zh"] as const) {
      const { subject, text, html } = writeLink({ ...mail, kind, language });
      expect(text).toContain(`\n${url}\n`);
      expect(html).toContain(`<a href="${url}"`);
      expect(text).toContain("new@customer.test");
      expect(html).toContain(`<title>${subject}</title>`);
      expect(html).toContain(`<html lang="${language}">`);
    }
  },
);

test("an e-mail names the person who sent the link, whose name is text in it", () => {
  const by = '"<b>boss</b>"@customer.test';
  const { text, html } = writeLink({ ...mail, kind: "invitation", by });
  expect(text).toContain(`${by} has invited you to Tollgate`);
  expect(html).not.toContain("<b>");
  expect(html).toContain("&lt;b&gt;boss&lt;/b&gt;");
  expect(writeLink({ ...mail, kind: "invitation" }).text).toContain("You have been invited to Tollgate");
});

test("an e-mail loads nothing, and has colours for light and dark", () => {
  const { html } = writeLink({ ...mail, kind: "requested" });
  expect(html).not.toMatch(/<(img|link|script)\b|url\(/);
  expect(html).toContain("prefers-color-scheme: dark");
  expect(html).toContain('<meta name="color-scheme" content="light dark">');
});
