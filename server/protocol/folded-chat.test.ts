import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { terms } from "@/tests/support/terms";
import { usualCapabilities } from "./capabilities";
import { parseChatConversation } from "./chat/conversation";
import { readLargeChat } from "./folded-chat";
import { withoutLoneSurrogates } from "./json/lone-surrogates";

const KB = 1024;
const upstream = { dialect: "chat" as const, name: "up", capabilities: usualCapabilities.chat };
const fill = (text: string, length: number) => text.repeat(Math.ceil(length / text.length));
const textOfBody = (body: unknown) =>
  typeof body === "string" ? body : Buffer.from((body as { bytes: Buffer }).bytes).toString();

/** The upstream's body for a client's text: read whole, and folded. `folded` null: it has to be read whole. */
function bodies(raw: string, more: Partial<typeof upstream.capabilities> = {}) {
  const to = { ...upstream, capabilities: { ...upstream.capabilities, ...more } };
  const folded = atOnce(readLargeChat(Buffer.from(raw)));
  const whole = parseChatConversation(withoutLoneSurrogates(raw));
  const [a, b] = [whole, folded].map((call) => call && atOnce(call.planFor(to, terms(10))));
  return {
    whole: { call: whole, body: textOfBody(a?.body) },
    folded: folded && { call: folded, body: textOfBody(b?.body), isBytes: typeof b?.body !== "string" },
  };
}

const turn = (content: unknown) => JSON.stringify({ role: "user", content });
const bodyOf = (content: unknown, more = "") => `{"model":"m",${more}"messages":[${turn(content)}]}`;
const image = (data: string) => [
  { type: "text", text: "what is it?" },
  { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } },
];
const latin = fill('A "word", a \\ and\nanother line. ', 200 * KB);

describe("a large chat call that is folded reaches the upstream as if it was read whole", () => {
  test.each<[what: string, raw: string]>([
    ["one text", bodyOf(latin)],
    ["a text of characters beyond ASCII", bodyOf(fill("中文é😀 ", 200 * KB))],
    ["a text of escapes", bodyOf("X").replace("X", fill("\\u4f60\\u597d\\ud83d\\ude00\\n", 200 * KB))],
    [
      "halves of characters",
      bodyOf("X").replace("X", `${fill("a", 100 * KB)}\\ud83d${fill("\\\\ud800", 100 * KB)}`),
    ],
    ["a picture", bodyOf(image(fill("iVBORw0KGgo", 300 * KB)))],
    [
      "the same picture twice",
      bodyOf([...image(fill("iVBORw0K", 300 * KB)), ...image(fill("iVBORw0K", 300 * KB))]),
    ],
    [
      "many short texts",
      `{"model":"m","messages":[${Array(300)
        .fill(turn(fill("word ", KB)))
        .join(",\n ")}]}`,
    ],
    [
      "many long texts",
      `{"messages":[${Array.from({ length: 20 }, (_, at) => turn(at + fill("word ", 80 * KB)))}],"model":"m"}`,
    ],
    [
      "members that the gateway sets",
      bodyOf(latin, `"max_tokens":50, "usage":{"include":true},"stream": true ,"seed":12345678901234567890,`),
    ],
    ["white space", `\n{ "model" : "m" ,\n "messages": [ ${turn(latin)} ] }\n`],
    ["no text at all", `{"model":"m","messages":[${Array(4_000).fill('{"role":"user"}')}]}`],
  ])("%s", (_what, raw) => {
    const { whole, folded } = bodies(raw);
    expect(folded?.isBytes).toBe(true);
    expect(JSON.parse(folded?.body ?? "")).toEqual(JSON.parse(whole.body));
    // Digits stay as they were.
    expect(folded?.body.includes("12345678901234567890")).toBe(raw.includes("12345678901234567890"));
    for (const name of [
      "model",
      "isStream",
      "maxOutputTokens",
      "choices",
      "readings",
      "units",
      "tiers",
      "wantsCost",
    ] as const) {
      expect(folded?.call[name]).toEqual(whole.call[name]);
    }
    expect(folded?.call.prefix()).toBe(whole.call.prefix());
    const [count = 0, full] = [folded?.call.inputTokens, whole.call.inputTokens];
    expect(Math.abs(count / full - 1)).toBeLessThan(0.1);
  });

  test("wherever its text is cut", () => {
    const piece = fc.constantFrom(
      "a",
      "\\\\",
      '\\"',
      "\\u4f60",
      "\\ud83d\\ude00",
      "é",
      "中",
      "😀",
      "\\n",
      '\\\\\\"',
    );
    const text = fc
      .array(piece, { minLength: 1, maxLength: 12 })
      .map((pieces) => fill(pieces.join(""), 70 * KB));
    fc.assert(
      fc.property(fc.string({ maxLength: 8 }), text, (before, long) => {
        const raw = bodyOf("X").replace("X", () => JSON.stringify(before).slice(1, -1) + long);
        const { whole, folded } = bodies(raw);
        expect(JSON.parse(folded?.body ?? "")).toEqual(JSON.parse(whole.body));
        expect(folded?.call.prefix()).toBe(whole.call.prefix());
      }),
      { numRuns: 60 },
    );
  });
});

describe("a chat call is read whole", () => {
  const long = fill("word ", 100 * KB);
  test.each<[what: string, raw: string]>([
    ["with several answers", bodyOf(long, '"n":2,')],
    [
      "with a long text where nothing counts it by itself",
      bodyOf([{ type: "mystery", deep: { text: long } }]),
    ],
    [
      "with a long text file",
      bodyOf([{ type: "file", file: { file_data: `data:text/plain;base64,${long}` } }]),
    ],
    [
      "with a picture that is the beginning of a text",
      JSON.stringify({
        model: "m",
        messages: [{ role: "user", content: image("A".repeat(32 * KB - "data:image/png;base64,".length)) }],
        tools: [
          { type: "function", function: { description: `data:image/png;base64,${fill("A", 200 * KB)}` } },
        ],
      }),
    ],
    ["with two texts that begin alike", `{"model":"m","messages":[${turn(`${long}a`)},${turn(`${long}b`)}]}`],
    [
      "with signed identifiers",
      `{"model":"m","messages":[${turn(long)},{"role":"tool","tool_call_id":"a__tgs_eA"}]}`,
    ],
    ["of very many values", `{"model":"m","messages":[${Array(60_000).fill('{"a":"b"}')}]}`],
    ["of white space", `{"model":"m",${" ".repeat(200 * KB)}"messages":[${turn("a")}]}`],
    ["with control characters", bodyOf("X").replace("X", `${long}\n`)],
    ["with an unknown escape", bodyOf("X").replace("X", `${long}\\x`)],
    ["that breaks off", bodyOf(long).slice(0, -20)],
    ["that breaks off in an escape", `{"model":"m","messages":"${long}\\u12`],
    ["that breaks off in backslashes", `{"model":"m","messages":"${long}${"\\".repeat(5_000)}`],
  ])("%s", (_what, raw) => {
    expect(atOnce(readLargeChat(Buffer.from(raw)))).toBeNull();
  });

  test("with bytes that are no text", () => {
    const raw = Buffer.from(bodyOf(long));
    raw[raw.length - 10] = 0xff;
    expect(atOnce(readLargeChat(raw))).toBeNull();
    expect(atOnce(readLargeChat(Buffer.alloc(5_000_000, 0x80)))).toBeNull();
  });

  test("for an upstream of another dialect, or one that caches marked prompts", () => {
    const raw = bodyOf(long);
    const { whole, folded } = bodies(raw, { promptCache: "marks" });
    expect(folded?.body).toBe(whole.body);
    const call = atOnce(readLargeChat(Buffer.from(raw)));
    const other = { dialect: "messages" as const, name: "up", capabilities: usualCapabilities.messages };
    const plan = call && atOnce(call.planFor(other, terms(10)));
    expect(JSON.parse(String(plan?.body)).messages[0].content[0].text).toBe(long);
  });
});

test("a large call is refused in the same way as a small call", () => {
  const long = fill("word ", 100 * KB);
  const read = (raw: string) => atOnce(readLargeChat(Buffer.from(raw)));
  expect(() => read(`{"messages":[${turn(long)}]}`)).toThrow("model");
  expect(() => read(bodyOf(long, '"stream":1,'))).toThrow("stream");
  expect(() => read(bodyOf(long, '"Stream":true,'))).toThrow("stream");
  expect(() => read(bodyOf(long, '"tools":1,'))).toThrow("tools");
});
