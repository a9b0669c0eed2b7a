/**
 * The one layout of every e-mail, as HTML and as text. Pure. Texts from outside are escaped in it, never markup. An
 * e-mail loads nothing: a program that shows no pictures shows all of it.
 */
import type { Language } from "@/server/base/language";

export type Email = { subject: string; text: string; html: string };

/** `detail`: paragraphs. `action`: the button, with its address. */
type MailItem = { title: string; detail: string[]; action: { label: string; url: string } | null };

/** Small print: a sentence, and links to change it. */
type Footer = { text: string; links: { label: string; url: string }[] };

type MailContent = {
  language: Language;
  subject: string;
  items: readonly MailItem[];
  /** A sentence after the items; empty: none. */
  after?: string;
  footer: Footer;
};

const escapes: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapeHtml = (text: string) =>
  text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? character);

const FONT =
  "font-family:system-ui,-apple-system,'Segoe UI','PingFang SC','Hiragino Sans GB','Microsoft YaHei','Noto Sans CJK SC',sans-serif";

/** The console's accent (app/theme.ts), as the console's buttons have it. */
const ACCENT = "#0d6680";

/** The console's colours. Programs without media queries show the light ones. */
const DARK_STYLE = `
@media (prefers-color-scheme: dark) {
  .page { background: #1a1b1e !important }
  .card { background: #25262b !important; border-color: #3b3d42 !important }
  .text { color: #e9ecef !important }
  .dim, .dim a { color: #b4b8bd !important }
  .brand { color: #e9ecef !important }
  .rule { border-color: #3b3d42 !important }
}
@media (max-width: 480px) { .card { padding: 24px 20px !important } }`;

const MARK =
  '<svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true" style="vertical-align:middle;margin-right:10px">' +
  `<rect width="32" height="32" rx="7" fill="${ACCENT}"/><g transform="translate(4 3) scale(.75)">` +
  '<path d="M9 27V13M26 27v-9M3 17l26-9" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round"/></g></svg>';

const paragraph = (text: string) =>
  `<p class="text" style="margin:0 0 12px;font-size:15px;line-height:1.6;color:#212529">${escapeHtml(text)}</p>`;

/** A table, because Outlook pads no link. */
const button = ({ label, url }: { label: string; url: string }) =>
  '<table role="presentation" cellpadding="0" cellspacing="0" style="margin:20px 0 4px"><tr>' +
  `<td style="background:${ACCENT};border-radius:8px">` +
  `<a href="${escapeHtml(url)}" style="display:inline-block;padding:11px 20px;font-size:15px;font-weight:600;color:#ffffff;text-decoration:none;${FONT}">${escapeHtml(label)}</a></td></tr></table>`;

function itemHtml({ title, detail, action }: MailItem, at: number): string {
  const rule =
    at === 0
      ? ""
      : '<div class="rule" style="border-top:1px solid #dee2e6;margin:28px 0;font-size:0">&nbsp;</div>';
  return (
    `${rule}<h1 class="text" style="margin:0 0 12px;font-size:20px;line-height:1.35;font-weight:650;color:#212529">${escapeHtml(title)}</h1>` +
    detail.map(paragraph).join("") +
    (action === null ? "" : button(action))
  );
}

function htmlOf({ language, subject, items, after = "", footer }: MailContent): string {
  const links = footer.links
    .map(({ label, url }) => `<a href="${escapeHtml(url)}" style="color:#4d545b">${escapeHtml(label)}</a>`)
    .join(" &nbsp;·&nbsp; ");
  // Programs show the beginning of the text next to the subject, which the first title repeats.
  const preview = items[0]?.detail[0] ?? "";
  return [
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
    `<title>${escapeHtml(subject)}</title><style>:root{color-scheme:light dark}${DARK_STYLE}</style></head>`,
    '<body class="page" style="margin:0;padding:0;background:#f1f3f5">',
    `<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(preview)}</div>`,
    `<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f1f3f5;${FONT}"><tr><td align="center" style="padding:32px 16px">`,
    '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;text-align:left">',
    `<tr><td class="brand" style="padding:0 4px 16px;font-size:18px;font-weight:700;color:#212529">${MARK}Tollgate</td></tr>`,
    '<tr><td class="card" style="background:#ffffff;border:1px solid #dee2e6;border-radius:12px;padding:32px;overflow-wrap:anywhere">',
    ...items.map(itemHtml),
    after === "" ? "" : paragraph(after),
    "</td></tr>",
    `<tr><td class="dim" style="padding:16px 4px;font-size:13px;line-height:1.6;color:#4d545b;overflow-wrap:anywhere">${escapeHtml(footer.text)}`,
    links === "" ? "" : `<br>${links}`,
    "</td></tr></table></td></tr></table></body></html>",
  ].join("");
}

const lines = (...texts: string[]) => texts.filter((text) => text !== "").join("\n");

function textOf({ items, after = "", footer }: MailContent): string {
  return [
    ...items.map(({ title, detail, action }) => lines(title, ...detail, action?.url ?? "")),
    ...(after === "" ? [] : [after]),
    lines("-- ", footer.text, ...footer.links.map(({ label, url }) => `${label}: ${url}`)),
  ].join("\n\n");
}

export const layOut = (content: MailContent): Email => ({
  subject: content.subject,
  text: textOf(content),
  html: htmlOf(content),
});
