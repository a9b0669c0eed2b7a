import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { parseEdit } from "@/server/protocol/forwarded/images";
import { parseTranscription } from "@/server/protocol/forwarded/transcriptions";
import { type Form, parseForm } from "@/server/protocol/multipart/form";
import { parseOpenaiVideoForm } from "@/server/protocol/videos/openai-request";
import { type BodyName, bodies } from "./bodies";
import { membersOf } from "./schema";

/** What stands in a field: a text, or files. */
type Field = string | { files: number };

const BOUNDARY = "seam";

function formOf(fields: Record<string, Field>): Form {
  const parts = Object.entries(fields).flatMap(([name, field]) =>
    typeof field === "string"
      ? [`Content-Disposition: form-data; name="${name}"\r\n\r\n${field}`]
      : Array.from(
          { length: field.files },
          (_, index) =>
            `Content-Disposition: form-data; name="${name}"; filename="${index}.bin"\r\n\r\nbytes`,
        ),
  );
  const text = [...parts.map((part) => `--${BOUNDARY}\r\n${part}\r\n`), `--${BOUNDARY}--\r\n`].join("");
  return parseForm(Buffer.from(text), BOUNDARY);
}

type Schema = { type?: string };

/** A field as a program that was made of the schema sends it: numbers are text in a form, one file may be a list. */
function asMember(field: Field, { type }: Schema): unknown {
  if (typeof field !== "string") {
    return type === "array" ? Array(field.files).fill("bytes") : "bytes";
  }
  return type === "integer" && /^\d{1,9}$/.test(field) ? Number(field) : field;
}

const file = { files: 1 };
const read: Record<string, { parse: (form: Form) => unknown; good: Record<string, Field> }> = {
  TranscriptionForm: {
    parse: (form) => parseTranscription(form, { pathModel: null, mayStream: true }),
    good: { model: "m", file },
  },
  TranslationForm: {
    parse: (form) => parseTranscription(form, { pathModel: null, mayStream: false }),
    good: { model: "m", file },
  },
  ImageEditForm: {
    parse: (form) => parseEdit(form, null),
    good: { model: "m", prompt: "a boat", image: file },
  },
  VideoRequest: { parse: parseOpenaiVideoForm, good: { model: "m", prompt: "a boat" } },
};

const texts = [
  ...[
    "",
    "a",
    "5",
    "0",
    "1",
    "10",
    "11",
    "129",
    "9999",
    "-1",
    "2.5",
    "true",
    "false",
    "yes",
    "1280x720",
    "auto",
  ],
  ...["json", "srt", "verbose_json", "JSON!", "a".repeat(41), "a".repeat(257), "a".repeat(2_001)],
  "a".repeat(32_001),
];

const accepts = (parse: (form: Form) => unknown, fields: Record<string, Field>): boolean => {
  try {
    parse(formOf(fields));
    return true;
  } catch {
    return false;
  }
};

const ajv = new Ajv2020({ strict: false, validateFormats: false });

describe.each(Object.entries(read))("the schema of %s, sent as a form", (name, { parse, good }) => {
  const schema = bodies[name as BodyName];
  const validate = ajv.compile(schema);
  const members = membersOf(schema);
  const types = new Map(members.map(([member, type]) => [member, type as Schema]));
  const tried = members.flatMap(([member]) => {
    const isFile = typeof good[member] === "object" || member === "mask";
    // A switch that is empty is none, which no enumeration needs to say.
    const said = texts.filter((text) => text !== "" || member !== "stream");
    const fields: (Field | null)[] = isFile ? [null, file] : [null, ...said];
    return fields.map((field) => ({ member, field }));
  });
  const compared = [{ member: "model", field: "m" }, ...tried].map(({ member, field }) => {
    const { [member]: _, ...others } = good;
    const fields = field === null ? others : { ...others, [member]: field };
    const body = Object.fromEntries(
      Object.entries(fields).map(([each, value]) => [each, asMember(value, types.get(each) ?? {})]),
    );
    const shown = `${member}: ${JSON.stringify(field)?.slice(0, 60)}`;
    return { shown, isRead: accepts(parse, fields), isValid: validate(body) };
  });

  test("refuses nothing that is taken", () => {
    expect(compared[0]).toMatchObject({ isRead: true, isValid: true });
    expect(compared.filter(({ isRead, isValid }) => isRead && !isValid)).toEqual([]);
  });

  test("takes nothing that is refused for a field alone", () => {
    expect(compared.filter(({ isRead, isValid }) => !isRead && isValid)).toEqual([]);
  });
});

test("every form is held to its reader", () => {
  const forms = Object.keys(bodies).filter((name) => name.endsWith("Form"));
  expect(Object.keys(read)).toEqual(expect.arrayContaining(forms));
});
