import { expect, test } from "vitest";
import { chatRequestAsMessages } from "@/tests/support/crossed";
import { type Capabilities, usualCapabilities } from "../../capabilities";
import type { JsonObject } from "../../fields";

function userContent(content: unknown, takes: Partial<Capabilities> = {}): unknown {
  const capabilities = { ...usualCapabilities.messages, ...takes };
  const fields = { model: "public", messages: [{ role: "user", content }] };
  const terms = { maxOutputTokens: 4_096, isCapped: false };
  const { body } = chatRequestAsMessages(
    fields,
    { dialect: "messages", name: "claude", capabilities },
    terms,
  );
  return (body.messages as JsonObject[])[0]?.content;
}

const image = (url: string) => [{ type: "image_url", image_url: { url, detail: "high" } }];
const file = (more: object) => [{ type: "file", file: more }];
const base64 = (text: string) => Buffer.from(text).toString("base64");

test.each([
  ["data:image/png;base64,AAAA", "image/png"],
  ["data:image/jpg;base64,AAAA", "image/jpeg"],
  ["data:IMAGE/JPEG;charset=utf-8;base64,AA\nAA", "image/jpeg"],
  ["data:image/webp;name=a.webp;base64,AAAA", "image/webp"],
])("the image %j becomes base64 of %s", (url, mediaType) => {
  expect(userContent(image(url))).toEqual([
    { type: "image", source: { type: "base64", media_type: mediaType, data: "AAAA" } },
  ]);
});

test("litellm#16760: an image's address is passed on, not fetched", () => {
  expect(userContent(image("https://example.com/a.png"))).toEqual([
    { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
  ]);
});

test.each([
  ["sound", [{ type: "input_audio", input_audio: { data: "AA", format: "wav" } }], {}],
  ["a video", [{ type: "video_url", video_url: { url: "https://example.com" } }], {}],
  ["a file by identifier", file({ file_id: "file_1" }), {}],
  ["an svg image", image("data:image/svg+xml;base64,AAAA"), {}],
  ["an image that is not base64", image("data:image/png,AAAA"), {}],
  ["an image of no known address", image("ftp://example.com/a.png"), {}],
  ["an image for a model without eyes", image("data:image/png;base64,AAAA"), { images: "none" }],
  ["an image's address where only data is taken", image("https://example.com/a.png"), { images: "data" }],
  [
    "a PDF where no documents are taken",
    file({ file_data: "data:application/pdf;base64,AA" }),
    { documents: false },
  ],
  ["a file of a type that no model reads", file({ file_data: "data:application/zip;base64,AA" }), {}],
] as [string, JsonObject[], Partial<Capabilities>][])(
  "%s is refused, naming the part",
  (_name, content, takes) => {
    const parts = [{ type: "text", text: "see" }, ...content];
    expect(() => userContent(parts, takes)).toThrow(
      expect.objectContaining({
        kind: "cannotConvert",
        message: expect.stringContaining("messages[0].content[1]"),
      }),
    );
  },
);

test("a PDF becomes a document without the data URL's head", () => {
  const document = {
    type: "document",
    source: { type: "base64", media_type: "application/pdf", data: "JVBERi0x" },
    title: "a.pdf",
  };
  expect(userContent(file({ file_data: "data:application/pdf;base64,JVBERi0x", filename: "a.pdf" }))).toEqual(
    [document],
  );
  expect(userContent(file({ file_data: "JVBERi0x", filename: "a.pdf" }))).toEqual([document]);
});

test("a text file becomes a text document, and plain text where no documents are taken", () => {
  const parts = file({
    file_data: `data:text/csv;charset=utf-8;base64,${base64("甲,乙")}`,
    filename: "a.csv",
  });
  expect(userContent(parts)).toEqual([
    {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "甲,乙" },
      title: "a.csv",
    },
  ]);
  expect(userContent(parts, { documents: false })).toEqual([{ type: "text", text: "a.csv\n\n甲,乙" }]);
});

test("parts that have the messages dialect's form already are taken as well", () => {
  const source = { type: "base64", media_type: "image/png", data: "AAAA" };
  expect(
    userContent([
      "plain",
      { type: "image", source },
      { type: "image", source: { type: "url", url: "http://a/b" } },
    ]),
  ).toEqual([
    { type: "text", text: "plain" },
    { type: "image", source },
    { type: "image", source: { type: "url", url: "http://a/b" } },
  ]);
  expect(() => userContent([{ type: "image", source: { type: "file", file_id: "f" } }])).toThrow(/source/);
});

test("claude-code-router#4: blank texts never reach the upstream", () => {
  expect(
    userContent([
      { type: "text", text: " \n" },
      { type: "text", text: "hi" },
    ]),
  ).toEqual([{ type: "text", text: "hi" }]);
});
