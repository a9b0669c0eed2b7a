/** Calls to paste and run, for every client that we document. `tests/contract/snippets.test.ts` runs each of them. */
import type { Installation } from "@/server/console";

export type ChatMessage = { role: "user" | "assistant"; content: string };

/** The kinds of model whose calls have one plain body. */
type PlainKind = "image" | "speech" | "rerank" | "moderation";

/** The call to show. An example fills each member that is left out. */
export type SnippetCall =
  | {
      kind: "chat";
      messages?: ChatMessage[];
      system?: string;
      temperature?: number | null;
      maxTokens?: number | null;
    }
  | { kind: "embedding"; input?: string[] }
  | { kind: PlainKind }
  | { kind: "transcription" }
  | { kind: "video"; prompt?: string; duration?: number; resolution?: string; aspectRatio?: string };

export type SnippetRequest = SnippetCall & {
  /** The API's address, without `/v1`. */
  baseUrl: string;
  /** null: read from the environment's TOLLGATE_KEY. */
  secret: string | null;
  model: string;
  /** Declared with the endpoints. */
  examples: Installation["examplesByKind"];
};

export type Snippet = {
  id: "curl" | "python" | "openai" | "anthropic" | "ai-sdk";
  title: string;
  language: "sh" | "python" | "js";
  code: string;
};

const titles: Record<Snippet["id"], string> = {
  curl: "curl",
  python: "Python",
  openai: "TypeScript",
  anthropic: "Anthropic SDK",
  "ai-sdk": "AI SDK",
};

const languages: Partial<Record<Snippet["id"], Snippet["language"]>> = { curl: "sh", python: "python" };

const snippet = (id: Snippet["id"], code: string): Snippet => ({
  id,
  title: titles[id],
  language: languages[id] ?? "js",
  code,
});

type RequestOfKind<Kind extends SnippetCall["kind"]> = Extract<SnippetRequest, { kind: Kind }>;

const EXAMPLE: ChatMessage[] = [{ role: "user", content: "Say hello in one sentence." }];

/** The messages dialect requires a limit, at least in the SDK's types. */
const EXAMPLE_MAX_TOKENS = 1_024;

/** One word of a POSIX shell. */
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** A value as JavaScript source, as a person would write it. `depth`: its indentation, in steps of two spaces. */
function source(value: unknown, depth = 1): string {
  if (typeof value !== "object" || value === null) {
    return JSON.stringify(value);
  }
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((item) => source(item, depth + 1))
    : Object.entries(value).map(([name, item]) => `${name}: ${source(item, depth + 1)}`);
  const [open, close] = isList ? ["[", "]"] : ["{ ", " }"];
  const line = `${open}${members.join(", ")}${close}`;
  if (line.length <= 80 && !line.includes("\n")) {
    return line;
  }
  const indent = "  ".repeat(depth);
  return `${open.trim()}\n${members.map((member) => `${indent}  ${member},\n`).join("")}${indent}${close.trim()}`;
}

/** The members of an options object, one a line; those that are null are left out. */
const options = (members: Record<string, unknown>) =>
  Object.entries(members)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `  ${name}: ${source(value)},\n`)
    .join("");

const keyInCode = (secret: string | null) =>
  secret === null ? "process.env.TOLLGATE_KEY" : JSON.stringify(secret);

/** `variable`: the environment variable that holds the key if `secret` is null. */
const keyInShell = (secret: string | null, variable = "TOLLGATE_KEY") =>
  secret === null ? `"Authorization: Bearer $${variable}"` : quote(`Authorization: Bearer ${secret}`);

/** The options of every SDK's client. */
const clientOptions = (baseUrl: string, secret: string | null) =>
  `  baseURL: ${JSON.stringify(baseUrl)},\n  apiKey: ${keyInCode(secret)},\n`;

/** The first lines of every curl command. */
const curlHead = (request: SnippetRequest, path: string) => [
  `curl ${quote(`${request.baseUrl}/v1/${path}`)}`,
  `-H ${keyInShell(request.secret)}`,
];

function curl(request: SnippetRequest, path: string, body: object): string {
  return [
    ...curlHead(request, path),
    "-H 'Content-Type: application/json'",
    `-d ${quote(JSON.stringify(body, null, 2))}`,
  ].join(" \\\n  ");
}

const openAiClient = ({ baseUrl, secret }: SnippetRequest) =>
  `import OpenAI from "openai";

const client = new OpenAI({
${clientOptions(`${baseUrl}/v1`, secret)}});
`;

/** A JSON text of strings and numbers is the same value in Python. */
const inPython = (value: unknown): string =>
  typeof value === "object" && value !== null
    ? `{${Object.entries(value)
        .map(([name, member]) => `${JSON.stringify(name)}: ${inPython(member)}`)
        .join(", ")}}`
    : JSON.stringify(value);

/** A call through Python's client, with these arguments, and a line that prints the answer. */
function python({ baseUrl, secret }: SnippetRequest, call: string, parts: { members: object; show: string }) {
  const key = secret === null ? 'os.environ["TOLLGATE_KEY"]' : inPython(secret);
  const listOf = (values: unknown[]) =>
    `[\n${values.map((one) => `        ${inPython(one)},\n`).join("")}    ]`;
  const terms = Object.entries(parts.members).map(
    ([name, value]) => `    ${name}=${Array.isArray(value) ? listOf(value) : inPython(value)},\n`,
  );
  return `${secret === null ? "import os\n\n" : ""}from openai import OpenAI

client = OpenAI(
    base_url=${inPython(`${baseUrl}/v1`)},
    api_key=${key},
)

answer = client.${call}(
${terms.join("")})
print(${parts.show})`;
}

const aiSdkProvider = ({ baseUrl, secret }: SnippetRequest, call: string) =>
  `import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ${call} } from "ai";

const tollgate = createOpenAICompatible({
  name: "tollgate",
${clientOptions(`${baseUrl}/v1`, secret)}});
`;

function chatSnippets(request: RequestOfKind<"chat">): Snippet[] {
  const { baseUrl, secret, model, system, temperature, maxTokens } = request;
  const messages = request.messages?.length ? request.messages : EXAMPLE;
  const chat = {
    model,
    messages: system ? [{ role: "system", content: system }, ...messages] : messages,
    ...(typeof temperature === "number" && { temperature }),
    ...(typeof maxTokens === "number" && { max_tokens: maxTokens }),
  };
  const anthropic = { model, max_tokens: maxTokens ?? EXAMPLE_MAX_TOKENS, system: system || null, messages };
  const aiSdk = { system: system || null, messages, temperature, maxOutputTokens: maxTokens };
  return [
    snippet("curl", curl(request, "chat/completions", chat)),
    snippet(
      "python",
      python(request, "chat.completions.create", {
        members: chat,
        show: "answer.choices[0].message.content",
      }),
    ),
    snippet(
      "openai",
      `${openAiClient(request)}
const completion = await client.chat.completions.create({
${options(chat)}});
console.log(completion.choices[0].message.content);`,
    ),
    snippet(
      "anthropic",
      // Adds `/v1` by itself.
      `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({
${clientOptions(baseUrl, secret)}});

const message = await client.messages.create({
${options({ ...anthropic, temperature })}});
for (const block of message.content) {
  if (block.type === "text") {
    console.log(block.text);
  }
}`,
    ),
    snippet(
      "ai-sdk",
      `${aiSdkProvider(request, "generateText")}
const { text } = await generateText({
  model: tollgate(${JSON.stringify(model)}),
${options(aiSdk)}});
console.log(text);`,
    ),
  ];
}

function embeddingSnippets(request: RequestOfKind<"embedding">): Snippet[] {
  const input = request.input?.length ? request.input : ["The quick brown fox"];
  const body = { model: request.model, input };
  return [
    snippet("curl", curl(request, "embeddings", body)),
    snippet(
      "python",
      python(request, "embeddings.create", { members: body, show: "len(answer.data[0].embedding)" }),
    ),
    snippet(
      "openai",
      `${openAiClient(request)}
const { data } = await client.embeddings.create({
${options(body)}});
console.log(data[0].embedding.length);`,
    ),
    snippet(
      "ai-sdk",
      `${aiSdkProvider(request, "embedMany")}
const { embeddings } = await embedMany({
  model: tollgate.embeddingModel(${JSON.stringify(request.model)}),
${options({ values: input })}});
console.log(embeddings[0].length);`,
    ),
  ];
}

/** A call with one plain body. `file`: where its answer is saved. */
function plainSnippets(request: RequestOfKind<PlainKind>): Snippet[] {
  const example = request.examples[request.kind];
  if (!example) {
    return [];
  }
  const { path, body, file } = example;
  const call = curl(request, path.replace("/v1/", ""), { model: request.model, ...body });
  return [snippet("curl", file === undefined ? call : `${call} \\\n  --output ${file}`)];
}

/** Transcribes an audio file. */
function transcriptionSnippets(request: RequestOfKind<"transcription">): Snippet[] {
  const { model } = request;
  // `--form-string` keeps curl from interpreting the text: a model's name may begin with an at sign.
  const call = [
    ...curlHead(request, "audio/transcriptions"),
    `--form-string ${quote(`model=${model}`)}`,
    "-F 'file=@speech.mp3'",
  ].join(" \\\n  ");
  return [
    snippet("curl", call),
    snippet(
      "openai",
      `import { createReadStream } from "node:fs";
${openAiClient(request)}
const { text } = await client.audio.transcriptions.create({
${options({ model })}  file: createReadStream("speech.mp3"),
});
console.log(text);`,
    ),
  ];
}

/** Submits a task and queries it by the id in the answer. No SDK has these endpoints. */
function videoSnippets(request: RequestOfKind<"video">): Snippet[] {
  const { baseUrl, secret, model, duration = 5, resolution = "720p", aspectRatio } = request;
  const prompt = request.prompt || "A paper boat on a quiet river";
  const body = {
    model,
    prompt,
    duration,
    resolution,
    ...(aspectRatio && { aspect_ratio: aspectRatio }),
  };
  const path = "videos/generations";
  const status = `curl ${quote(`${baseUrl}/v1/${path}/`)}"$TASK_ID" \\\n  -H ${keyInShell(secret)}`;
  return [snippet("curl", `${curl(request, path, body)}\n\n${status}`)];
}

/** The call in every documented client, the most general first. */
export function snippetsFor(request: SnippetRequest): Snippet[] {
  if (request.kind === "chat") {
    return chatSnippets(request);
  }
  if (request.kind === "embedding") {
    return embeddingSnippets(request);
  }
  if (request.kind === "transcription") {
    return transcriptionSnippets(request);
  }
  return request.kind === "video" ? videoSnippets(request) : plainSnippets(request);
}

/** Lists the API keys that a management key may see: the admin API's first call. null: TOLLGATE_MANAGEMENT_KEY. */
export const adminSnippet = ({ baseUrl, secret }: Pick<SnippetRequest, "baseUrl" | "secret">): string =>
  `curl ${quote(`${baseUrl}/admin/v1/keys`)} \\\n  -H ${keyInShell(secret, "TOLLGATE_MANAGEMENT_KEY")}`;
