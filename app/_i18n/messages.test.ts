import { readdirSync, readFileSync } from "node:fs";
import { createTranslator } from "use-intl/core";
import { expect, test } from "vitest";
import { nouns } from "@/server/cli/run";
import { locales } from "./locales";
import { messagesOf } from "./messages";

type Tree = { [name: string]: string | Tree };

/** `keys.title` -> its text. */
const textsOf = (tree: Tree, path = ""): [name: string, text: string][] =>
  Object.entries(tree).flatMap(([name, value]) =>
    typeof value === "string" ? [[`${path}${name}`, value]] : textsOf(value, `${path}${name}.`),
  );

const catalogs = locales.map((locale) => ({ locale, texts: new Map(textsOf(messagesOf(locale) as Tree)) }));

/** Values for all placeholders and tags in a text. */
function valuesFor(text: string): Record<string, unknown> {
  const names = [...text.matchAll(/\{\s*(\w+)\s*[,}]/g)].map(([, name]) => [name, 1]);
  const tags = [...text.matchAll(/<(\w+)>/g)].map(([, tag]) => [tag, (words: string) => words]);
  return Object.fromEntries([...names, ...tags]);
}

test("the languages have the same texts", () => {
  const [first, ...others] = catalogs.map(({ texts }) => [...texts.keys()].sort());
  for (const other of others) {
    expect(other).toEqual(first);
  }
});

test.each(catalogs)(
  "every text of $locale can be formatted with the placeholders of the other language",
  (each) => {
    const faults: string[] = [];
    const translate = createTranslator({
      locale: each.locale,
      messages: messagesOf(each.locale),
      onError: (error) => faults.push(error.message),
    });
    for (const other of catalogs.filter(({ locale }) => locale !== each.locale)) {
      for (const [name, text] of other.texts) {
        expect(translate.markup(name as never, valuesFor(text) as never), name).not.toBe("");
      }
    }
    expect(faults).toEqual([]);
  },
);

/** A noun and its verb may stand next to each other in a sentence, so they count as a command only in quotes. */
const commands = Object.entries(nouns).flatMap(([noun, verbs]) =>
  Object.keys(verbs).map((verb) => new RegExp(`[“‘「"'\`]${noun} ${verb}|${noun} ${verb} (command|命令|--)`)),
);
const shells = [/\bnpm (run|ci|start)\b/, /(^|\s)--[a-z]/, /\bcommand line\b/];

test.each(catalogs)("no text of $locale sends a person from the console to a shell", ({ texts }) => {
  // The audit log names who made a change.
  const asked = [...texts].filter(([name]) => name !== "audit.command");
  const found = asked.filter(([, text]) => [...commands, ...shells].some((command) => command.test(text)));
  expect(found).toEqual([]);
});

function guideTexts(language: string): [place: string, text: string][] {
  const folder = `docs/guide/${language}`;
  return readdirSync(folder).map((name) => [
    name,
    readFileSync(`${folder}/${name}`, "utf8")
      .replace(/```[\s\S]*?```/g, "")
      .replace(/`[^`]*`/g, "")
      .replace(/\]\([^)]*\)/g, "]"),
  ]);
}

/** One term for each thing, with the words that must not be used for it. */
const chosen = {
  zh: {
    账号: /帐号|帐户|账户/,
    密钥: /秘钥|密匙/,
    登录: /登陆/,
    沙箱: /沙盒/,
    思考: /推理|思维/,
    供应商: /厂商|服务商/,
    禁用: /停用/,
    凭证: /凭据/,
    渠道: /通道/,
    管理员: /运营人员|运营者/,
    官方价: /标价/,
    消费: /花费/,
    图片: /图像/,
    语音转写: /语音识别/,
    你: /您/,
    Token: /令牌|\btokens?\b/,
    "full-width punctuation": /[\u4e00-\u9fff] ?[,;!?()]|[\u4e00-\u9fff]: |[()][\u4e00-\u9fff]/,
    "a space between Chinese and Latin": /[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9][\u4e00-\u9fff]/,
    "no space within Chinese": /[\u4e00-\u9fff] +[\u4e00-\u9fff]/,
  },
  en: {
    email: /\be-mails?\b/i,
    "sign in": /\blog(ged)? (in|out)\b|\bsign(ed)? on\b/i,
    "API key": /\bapi keys?\b|\bAPI-keys?\b/,
    disabled: /\bdeactivated?\b/i,
    "no please": /\bplease\b/i,
    "no exclamation": /!(?!\[|=)/,
  },
} as const;

const plain = (text: string) => text.replace(/\{\w+(, \w+)?\}/g, "·").replace(/<\/?\w+>/g, "");

test.each([
  ["zh", textsOf(messagesOf("zh") as Tree)],
  ["en", textsOf(messagesOf("en") as Tree)],
] as const)("the console uses one term for each thing, in one spelling, in %s", (language, texts) => {
  expect(texts.length).toBeGreaterThan(500);
  const faults = texts.flatMap(([place, text]) =>
    Object.entries(chosen[language])
      .filter(([, wrong]) => wrong.test(plain(text)))
      .map(([right]) => `${place}: ${right}: ${text}`),
  );
  expect(faults).toEqual([]);
});

test("the Chinese guide uses the console's terms", () => {
  const { Token: _, ...words } = chosen.zh;
  const faults = guideTexts("zh").flatMap(([place, text]) =>
    Object.entries(words)
      .filter(([name, wrong]) => /^[\u4e00-\u9fff]/.test(name) && wrong.test(text))
      .map(([right, wrong]) => `${place}: ${right}: ${wrong.exec(text)?.[0]}`),
  );
  expect(faults).toEqual([]);
});
