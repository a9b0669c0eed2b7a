import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GatewayError } from "@/server/base/errors";
import { cpuTimeMs } from "@/tests/support/cpu-time";
import { boundaryOf, type Form, parseForm, readFields, withFields } from "./form";
import { readParameters } from "./parameters";
import { findParts } from "./parts";

const BOUNDARY = "x-boundary";

type TestPart = { name: string; value: Uint8Array; isFile: boolean };
const text = (name: string, value = "v"): TestPart => ({ name, value: Buffer.from(value), isFile: false });

const bodyOf = (parts: TestPart[], boundary = BOUNDARY) =>
  Buffer.concat([
    ...parts.flatMap(({ name, value, isFile }) => [
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"`),
      Buffer.from(isFile ? `; filename="f.bin"\r\nContent-Type: audio/x-wav\r\n\r\n` : "\r\n\r\n"),
      value,
      Buffer.from("\r\n"),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);

/** Contents as similar to boundaries and headers as possible. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\r\n",
        "\r",
        "\n",
        "--",
        "-",
        `--${BOUNDARY.slice(0, -1)}`,
        `\r\n--${BOUNDARY.slice(0, 4)}`,
        BOUNDARY,
        `-${BOUNDARY}`,
      ),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => Buffer.from(pieces.join("")))
  .filter((value) => !value.includes(`--${BOUNDARY}`));

const anyPart = fc.record({
  name: fc.stringMatching(/^[a-z_[\]]{1,12}$/),
  value: fc.oneof(
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    hostile,
  ),
  isFile: fc.boolean(),
});

/** As texts with one character for each byte. */
const partTexts = (parts: TestPart[]) =>
  parts.map(({ value, ...part }) => ({ ...part, value: Buffer.from(value).toString("latin1") }));
const formTexts = ({ bytes, parts }: Form) =>
  partTexts(
    parts.map(({ name, isFile, start, end }) => ({ name, isFile, value: bytes.subarray(start, end) })),
  );

describe("the parts of a form", () => {
  test("are the bytes that the client wrote, whatever they are", () => {
    fc.assert(
      fc.property(fc.array(anyPart, { minLength: 1, maxLength: 8 }), (all) => {
        expect(formTexts(parseForm(bodyOf(all), BOUNDARY))).toEqual(partTexts(all));
      }),
    );
  });

  test("are those that another parser finds, or none", async () => {
    const cut = fc.record({
      at: fc.nat(),
      bytes: fc.constantFrom("", "\r\n", "--", '"', ";", "\0", "name=", "model"),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyPart, { minLength: 1, maxLength: 3 }),
        fc.array(cut, { maxLength: 3 }),
        async (all, cuts) => {
          let body: Buffer = bodyOf(all);
          for (const { at, bytes } of cuts) {
            const place = at % body.byteLength;
            const [before, after] = [body.subarray(0, place), body.subarray(place + bytes.length)];
            body = Buffer.concat([before, Buffer.from(bytes), after]);
          }
          const parts = findParts(body, BOUNDARY);
          const headers = { "content-type": `multipart/form-data; boundary=${BOUNDARY}` };
          const theirs = await new Response(new Uint8Array(body), { headers }).formData().catch(() => null);
          if (parts === null || theirs === null) {
            return;
          }
          expect(parts.map(({ name }) => name)).toEqual([...theirs.keys()]);
          expect(parts.map(({ isFile }) => isFile)).toEqual(
            [...theirs.values()].map((value) => typeof value !== "string"),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  test("are forwarded unchanged, except for the fields that the gateway sets", () => {
    fc.assert(
      fc.property(fc.array<TestPart>(anyPart, { maxLength: 6 }), fc.nat({ max: 6 }), (others, place) => {
        const rest = others.filter(({ name }) => name !== "model");
        const withModel = (value: string) => rest.toSpliced(place, 0, text("model", value));
        const sentOn = withFields(parseForm(bodyOf(withModel("public")), BOUNDARY), { model: "vendors-own" });
        expect(Buffer.from(sentOn.bytes).equals(bodyOf(withModel("vendors-own")))).toBe(true);
        const other = parseForm(bodyOf([...rest, text("other", "public")]), BOUNDARY);
        const added = withFields(other, { model: "é" });
        const parts = formTexts(parseForm(Buffer.from(added.bytes), BOUNDARY));
        expect(parts.slice(0, 1)).toEqual(partTexts([text("model", "é")]));
        expect(parts.slice(1).map(({ name }) => name)).toEqual([...rest.map(({ name }) => name), "other"]);
      }),
    );
  });

  const part = (head: string, value = "v") => `--b\r\n${head}\r\n\r\n${value}\r\n`;
  const formData = "Content-Disposition: form-data";
  const named = `${formData}; name="model"`;

  test.each([
    ["with unquoted names, as .NET writes them", `${formData}; name=model; filename*=utf-8''a%20b`],
    ["with a backslash in a file's name", `${named}; filename="Assets\\a.mp3"`],
    ["with another header first", `Content-Type: text/plain; charset=utf-8\r\n${named}`],
    ["with a header's name in other letters", 'content-disposition: form-data;name="model"'],
    ["with its length, as OkHttp writes them", `${named}\r\nContent-Length: 1`],
    ["with a file's name in any script", `${named}; filename="Å…；名.mp3"`],
  ])("may be written %s", (_how, head) => {
    expect(findParts(Buffer.from(`${part(head)}--b--\r\n`), "b")).toMatchObject([{ name: "model" }]);
    expect(findParts(Buffer.from(`\r\n${part(head)}--b--`), "b")).toMatchObject([{ name: "model" }]);
  });

  test.each([
    ["nothing", ""],
    ["no end", part(named)],
    ["an end that is cut off", `${part(named)}--b-`],
    ["something before it", `preamble\r\n${part(named)}--b--`],
    ["something after it", `${part(named)}--b--\r\nmore`],
    ["lines that end with a line feed", `${part(named)}--b--`.replaceAll("\r\n", "\n")],
    ["a part without a header", "--b\r\n\r\nv\r\n--b--"],
    ["a part without a name", `${part("Content-Disposition: form-data")}--b--`],
    ["a name in two forms", `${part(`${named}; name*=utf-8''other`)}--b--`],
    ["two names", `${part(`${named}; name="other"`)}--b--`],
    ["two dispositions", `${part(`${named}\r\n${named}`)}--b--`],
    ["a name with an escape", `${part('Content-Disposition: form-data; name="mo\\del"')}--b--`],
    ["a name that is encoded", `${part('Content-Disposition: form-data; name="mode%6c"')}--b--`],
    ["a quote that may end or not", `${part(`${formData}; name="a"; filename="x\\"; y="z"`)}--b--`],
    ["a folded header", `${part('Content-Disposition: form-data;\r\n name="model"')}--b--`],
    ["a body that is encoded", `${part(`${named}\r\nContent-Transfer-Encoding: base64`)}--b--`],
    ["padding after a boundary", `${part(named).replace("--b\r\n", "--b \r\n")}--b--`],
    ["a huge header", `${part(`${named}\r\nX: ${"x".repeat(9_000)}`)}--b--`],
    ["an endless header", `--b\r\n${named}\r\nX: ${"x".repeat(100_000)}`],
    ["too many parts", `${part(named).repeat(257)}--b--`],
    ["a part that ends with its header", `--b\r\n${named}\r\n\r\n--b--`],
    ["a header that others take for a boundary", `${part(`${named}\r\n--b: x`)}--b--`],
    ["a longer boundary", `${part(named).replace("--b", "--bb")}--b--`],
    [
      "a boundary after a lone line feed, which ends a line for PHP",
      `${part(named, `v\n--b\n${named.replace("model", "n")}\n\n10`)}--b--`,
    ],
    ["a boundary after a lone carriage return", `${part(named, `v\r--b\r${named}\r\r10`)}--b--`],
    ["a boundary in the middle of a line", `${part(named, "v--b--")}--b--`],
    ["a name in pieces, which Go joins", `${part(`${named}; name*0="other"`)}--b--`],
    ["a file's name in pieces", `${part(`${named}; filename*0="a"; filename*1="b"`)}--b--`],
    ["a name in single quotes, which PHP removes", `${part(named.replace(/"/g, "'"))}--b--`],
    ["a name in a file's name", `${part(`${named}; filename="a; name=n"`)}--b--`],
    ["parts in a part", `${part(`${named}\r\nContent-Type: multipart/mixed; boundary=c`)}--b--`],
    ["a control character in a header", `${part(`${named}\r\nX: a\vb`)}--b--`],
    ["a part that is shorter than it says", `${part(`${named}\r\nContent-Length: 2`)}--b--`],
  ])("are not found in a body with %s", (_what, body) => {
    expect(findParts(Buffer.from(body), "b")).toBeNull();
    expect(() => parseForm(Buffer.from(body), "b")).toThrow(
      expect.objectContaining({ kind: "invalidParameters" }),
    );
  });

  test.each([
    ["text/plain", "invalidContentType"],
    ["multipart/form-data", "invalidParameters"],
    ["multipart/form-data; boundary=", "invalidParameters"],
    [`multipart/form-data; boundary=${"b".repeat(71)}`, "invalidParameters"],
    ["multipart/form-data; boundary=a; boundary=b", "invalidParameters"],
  ])("are not looked for if the type is %s", (contentType, kind) => {
    expect(() => boundaryOf(contentType)).toThrow(expect.objectContaining({ kind }));
  });

  test("are found in time proportional to the body, whatever is in it", () => {
    const boundary = `b${"a".repeat(69)}`;
    const nearly = [`\r\n--b${"a".repeat(68)}`, `\r\n--${"a".repeat(70)}`, "a", "\r\n--b"];
    for (const text of nearly) {
      const value = Buffer.from(text.repeat(Math.ceil((8 * 1024 * 1024) / text.length)));
      const body = bodyOf([{ name: "file", value, isFile: true }], boundary);
      const started = cpuTimeMs();
      expect(findParts(body, boundary)).toHaveLength(1);
      expect(cpuTimeMs() - started).toBeLessThan(1_000);
    }
  });
});

describe("a field that the gateway reads", () => {
  const form = (...sentParts: TestPart[]) => parseForm(bodyOf(sentParts), BOUNDARY);
  const file = (name: string): TestPart => ({ ...text(name), isFile: true });

  test("is a text or a file", () => {
    const fields = readFields(form(file("file"), text("model", "é"), text("include[]"), text("include[]")));
    expect(fields.texts).toEqual({ model: "é" });
    expect(fields.files.file?.toString()).toBe("v");
  });

  test.each([
    ["twice", [text("model"), text("model")]],
    ["in another case", [text("Model")]],
    ["as a list, which many parsers read as its only element", [text("n[]")]],
    ["as PHP would write it", [text("response.format")]],
    ["with a space before it", [text(" model")]],
    ["below a name that is refused", [text("extra_body[model]")]],
    ["as a file, although it is a text", [file("model")]],
    ["as a text, although it is a file", [text("file")]],
  ])("is refused %s", (_how, parts) => {
    expect(() => readFields(form(...parts))).toThrow(GatewayError);
  });
});

test("parameters of a header are read to the end, and repeated ones are refused", () => {
  expect(readParameters('form-data; name="a b"; x=1;')?.parameters).toEqual(
    new Map([
      ["name", "a b"],
      ["x", "1"],
    ]),
  );
  for (const wrong of ["a; b", "a; b=1 c", 'a; b="1', "a; b=1; B=2", 'a; b="1"c=2']) {
    expect(readParameters(wrong)).toBeNull();
  }
});
