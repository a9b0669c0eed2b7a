/** The parts of pages that are built from the tables: operations and refusals, as Markdown. */
import { both, type Language, type Texts } from "@/server/base/language";
import { type Endpoint, EVENTS, type NamedSchema, type Parameter, tags } from "@/server/endpoints";
import { membersOf, type OpenApiSchema } from "@/server/endpoints/schema";
import { answers, bodies, operations } from "./components";
import { type Advice, refusalsOf, slugOf, statusOf } from "./errors";
import { memberText } from "./members";

const words = {
  field: both("字段", "Field"),
  type: both("类型", "Type"),
  meaning: both("说明", "Description"),
  required: both("必填", "required"),
  parameter: both("参数", "Parameter"),
  open: both("不需要 API Key。", "No API key required."),
  json: both("请求体（JSON）", "Body (JSON)"),
  form: both("请求体（multipart/form-data）", "Body (multipart/form-data)"),
  answer: both("响应", "Response"),
  refusals: both("可能的错误", "Errors"),
  schemas: both("响应对象", "Response objects"),
  schemasNote: both("对象中可能还有未列出的字段。", "Objects can have more fields than listed here."),
  any: both("任意", "any"),
  listOf: both("数组：", "list of "),
  or: both(" 或 ", " or "),
  to: both("重试可能成功", "a retry can succeed"),
  status: both("状态码", "HTTP"),
  message: both("message", "message"),
  cause: both("原因与处理方法", "Cause and solution"),
  allRefusals: both("x-error-code", "x-error-code"),
} as const satisfies Record<string, Texts>;

const code = (text: string) => `\`${text}\``;
const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ").replaceAll("<", "&lt;");

function typeOf(schema: OpenApiSchema, language: Language): string {
  const {
    anyOf,
    enum: values,
    const: value,
    type,
    items,
    $ref,
  } = schema as {
    anyOf?: OpenApiSchema[];
    enum?: unknown[];
    const?: unknown;
    type?: string | string[];
    items?: OpenApiSchema;
    $ref?: string;
  };
  if ($ref !== undefined) {
    return code($ref);
  }
  if (anyOf && type === undefined) {
    const types = anyOf
      .filter((alternative) => alternative.type !== "null")
      .map((alternative) => typeOf(alternative, language));
    return [...new Set(types)].join(words.or[language]);
  }
  if (values || value !== undefined) {
    return (values ?? [value]).map((each) => code(JSON.stringify(each))).join(" ");
  }
  if (type === "array") {
    return `${words.listOf[language]}${typeOf(items ?? {}, language)}`;
  }
  return [type ?? words.any[language]]
    .flat()
    .filter((name) => name !== "null")
    .join(words.or[language]);
}

/** A bound above this only says that the value is a number. */
const ABSURD = 100_000_000;

/** The bounds of a number or a text. */
function boundsOf(schema: OpenApiSchema): string {
  const alternatives = Array.isArray(schema.anyOf) ? (schema.anyOf as OpenApiSchema[]) : [schema];
  const { minimum, maximum, maxLength } = (alternatives.find((alternative) => alternative.type !== "null") ??
    {}) as {
    minimum?: number;
    maximum?: number;
    maxLength?: number;
  };
  const range =
    minimum === undefined && maximum === undefined
      ? ""
      : `${minimum ?? ""}…${(maximum ?? ABSURD) < ABSURD ? maximum : ""}`;
  return [range, maxLength === undefined ? "" : `≤ ${maxLength}`].filter(Boolean).join(", ");
}

function table(head: Texts[], rows: string[][], language: Language): string[] {
  return rows.length === 0
    ? []
    : [
        "",
        `| ${head.map((text) => text[language]).join(" | ")} |`,
        `|${" --- |".repeat(head.length)}`,
        ...rows.map((row) => `| ${row.join(" | ")} |`),
      ];
}

const columns = [words.field, words.type, words.meaning];

function memberRows(name: string, schema: OpenApiSchema, language: Language): string[][] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return membersOf(schema).map(([member, inner]) => [
    `${code(member)}${required.includes(member) ? ` (${words.required[language]})` : ""}`,
    [cell(typeOf(inner, language)), boundsOf(inner)].filter(Boolean).join(", "),
    cell(memberText(member, name)?.[language] ?? ""),
  ]);
}

/** For objects with a `type`: the members of each type. */
function kindRows({ anyOf }: OpenApiSchema): string[][] {
  const kinds = Array.isArray(anyOf) ? (anyOf as OpenApiSchema[]) : [];
  return kinds.flatMap((kind) => {
    const [[, type] = [], ...members] = membersOf(kind);
    return typeof type?.const === "string"
      ? [[code(JSON.stringify(type.const)), members.map(([name]) => code(name)).join(" ")]]
      : [];
  });
}

const parameterRow = (parameter: Parameter, language: Language): string[] => [
  `${code(parameter.name)}${parameter.required ? ` (${words.required[language]})` : ""}`,
  parameter.values ? parameter.values.map(code).join(" ") : (parameter.type ?? "string"),
  cell(memberText(parameter.name)?.[language] ?? ""),
];

function answerLines({ answers }: Endpoint, language: Language): string[] {
  const link = ({ name }: NamedSchema) => `[${code(name)}](#${name.toLowerCase()})`;
  return answers.map(({ status, schema, events, types = [] }) => {
    const streamed = events ? [`${code(EVENTS)} (${link(events)})`] : [];
    const kinds = [...(schema ? [link(schema)] : []), ...streamed, ...types.map(code)];
    return `- ${words.answer[language]} ${status}${kinds.length > 0 ? `: ${kinds.join(words.or[language])}` : ""}`;
  });
}

function refusalLine({ refusals }: Endpoint, language: Language): string {
  const slugs = refusals.toSorted((left, right) => statusOf(left) - statusOf(right)).map(slugOf);
  const links = [...new Set(slugs)].map((slug) => `[${code(slug)}](errors.md#${slug})`);
  return `- ${words.refusals[language]}: ${links.join(" ")}`;
}

function section(operation: Endpoint, language: Language): string[] {
  const { method, path, summary, access, parameters = [], json, form } = operation;
  const body = (named: typeof json, title: Texts) => {
    const schema = named && bodies[named.name];
    return schema
      ? ["", `**${title[language]}**`, ...table(columns, memberRows(named.name, schema, language), language)]
      : [];
  };
  return [
    "",
    `### ${method.toUpperCase()} ${path}`,
    "",
    `${summary[language]}${language === "zh" ? "。" : "."}${access === "open" ? ` ${words.open[language]}` : ""}`,
    ...table(
      [words.parameter, words.type, words.meaning],
      parameters.map((parameter) => parameterRow(parameter, language)),
      language,
    ),
    ...body(json, words.json),
    ...body(form, words.form),
    "",
    ...answerLines(operation, language),
    refusalLine(operation, language),
  ];
}

/** Every operation, and every object in an answer. */
export function operationsText(language: Language): string {
  const byTag = Object.entries(tags).flatMap(([tag, name]) => [
    "",
    `## ${name[language]}`,
    ...operations
      .filter((operation) => operation.tag === tag)
      .flatMap((operation) => section(operation, language)),
  ]);
  const objects = Object.entries(answers).flatMap(([name, schema]) => {
    const members = memberRows(name, schema, language).map(([member = "", type = ""]) => [member, type]);
    const rows = [...members, ...kindRows(schema)];
    return rows.length === 0
      ? ["", `### ${name}`, "", cell(typeOf(schema, language))]
      : ["", `### ${name}`, ...table([words.field, words.type], rows, language)];
  });
  return [...byTag, "", `## ${words.schemas[language]}`, "", words.schemasNote[language], ...objects].join(
    "\n",
  );
}

/** Every refusal with its cause and advice, each in a section, so that links can lead to it. */
export function refusalsText(language: Language, advice: Advice): string {
  const other = language === "zh" ? "en" : "zh";
  return refusalsOf(advice)
    .flatMap(({ slug, status, name, message, advice: cure, isRepeatable }) => [
      "",
      `### ${slug}`,
      "",
      `**${status}** · ${name[language]}${isRepeatable ? ` · ${words.to[language]}` : ""}`,
      "",
      cell(cure[language]),
      "",
      `- ${code(message[language])}`,
      ...(message.zh === message.en ? [] : [`- ${code(message[other])}`]),
    ])
    .join("\n");
}
