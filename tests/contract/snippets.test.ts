import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import {
  adminSnippet,
  type Snippet,
  type SnippetCall,
  snippetsFor,
} from "@/app/(console)/_components/snippets/snippet-templates";
import { examplesByKind } from "@/server/endpoints";
import { newManager } from "@/tests/support/admin-api";
import { perFile } from "@/tests/support/per-file";
import { findPython } from "@/tests/support/python";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { HANGS_MS } from "@/tests/support/until";
import { oneVideoPrice } from "@/tests/support/video-client";

const gateway = perFile(sharedGateway);
const customer = perFile(() => gateway.customer());

/** Breaks out of any code that does not quote it. */
const HOSTILE = `it's "a" \\ $(echo ran) \`echo ran\` \${1 + 1}`;

/** A sandbox model whose name needs quoting; it repeats its prompt. */
async function addModel(kind: SnippetCall["kind"], upstreamName: string): Promise<string> {
  const id = `${HOSTILE} ${kind}`;
  await gateway.model({ id, kind, videoPrices: kind === "video" ? oneVideoPrice("0.05") : [] });
  const models = { [id]: upstreamName };
  await gateway.channel({ model: id, dialect: "sandbox", baseUrl: "sandbox:", models });
  return id;
}

const run = promisify(execFile);
const python = findPython();

/** The output of the code, pasted into a shell or a file of this project. */
async function outputOf({ language, code }: Pick<Snippet, "language" | "code">, env = {}): Promise<string> {
  const options = { env: { ...process.env, ...env }, timeout: HANGS_MS };
  const [program, flags] = {
    sh: ["sh", ["-c"]] as const,
    python: [python ?? "", ["-c"]] as const,
    js: [process.execPath, ["--input-type=module", "--eval"]] as const,
  }[language];
  return (await run(program, [...flags, code], options)).stdout;
}

const find = (snippets: Snippet[], id: Snippet["id"]): Snippet =>
  snippets.find((snippet) => snippet.id === id) ?? expect.fail(`there is no snippet for ${id}`);

const snippetsOf = (call: SnippetCall & { model: string }, secret: string | null = customer.secret) =>
  snippetsFor({ baseUrl: gateway.url, secret, examples: examplesByKind, ...call });

describe("a chat snippet, run as it stands,", () => {
  let model: string;
  beforeAll(async () => {
    model = await addModel("chat", "sandbox-chat");
  });
  const clients = ["curl", "python", "openai", "anthropic", "ai-sdk"] as const;
  const runnable = clients.filter((id) => id !== "python" || python !== null);

  test("exists for every documented client", () => {
    const snippets = snippetsOf({ kind: "chat", model });
    expect(snippets.map(({ id }) => id)).toEqual(clients);
  });

  test("in Python has every value as a literal, and the key only where it is given", () => {
    const messages = [{ role: "user" as const, content: HOSTILE }];
    const { code } = find(snippetsOf({ kind: "chat", model, messages, temperature: 0.5 }), "python");
    expect(code).toContain(`    model=${JSON.stringify(model)},\n`);
    expect(code).toContain(`        {"role": "user", "content": ${JSON.stringify(HOSTILE)}},\n`);
    expect(code).toContain("    temperature=0.5,\n");
    expect(code).toContain(`    api_key="${customer.secret}",\n`);
    expect(code).not.toContain("import os");
    const open = find(snippetsOf({ kind: "chat", model }, null), "python").code;
    expect(open).toMatch(/^import os\n\nfrom openai import OpenAI\n/);
    expect(open).toContain('api_key=os.environ["TOLLGATE_KEY"],');
  });

  test.each(runnable)("takes the key from the environment with %s", async (id) => {
    const snippets = snippetsOf({ kind: "chat", model }, null);
    expect(await outputOf(find(snippets, id), { TOLLGATE_KEY: customer.secret })).toContain("You said:");
  });

  test.each(runnable)("sends a whole conversation, whatever it contains, with %s", async (id) => {
    const contents = ["first", "second", HOSTILE];
    const messages = contents.map(
      (content, at) => ({ role: at === 1 ? "assistant" : "user", content }) as const,
    );
    const system = `${HOSTILE} system\nof two lines`;
    const terms = { temperature: 0.5, maxTokens: 60 };
    const snippets = snippetsOf({ kind: "chat", model, system, messages, ...terms });
    const answer = await outputOf(find(snippets, id));
    // curl shows JSON, where quotes and backslashes are escaped.
    expect(answer).toContain(id === "curl" ? JSON.stringify(HOSTILE).slice(1, -1) : HOSTILE);
  });
});

describe("an embedding snippet, run as it stands,", () => {
  let model: string;
  beforeAll(async () => {
    model = await addModel("embedding", "sandbox-embedding");
  });

  test("gets a vector for each text with curl", async () => {
    const snippets = snippetsOf({ kind: "embedding", model, input: [HOSTILE, "another"] });
    const { data } = JSON.parse(await outputOf(find(snippets, "curl"))) as { data: unknown[] };
    expect(data).toHaveLength(2);
  });

  const clients = (["python", "openai", "ai-sdk"] as const).filter(
    (id) => id !== "python" || python !== null,
  );

  test.each(clients)("prints the dimensions with %s", async (id) => {
    const snippets = snippetsOf({ kind: "embedding", model });
    expect(await outputOf(find(snippets, id))).toBe("512\n");
  });
});

test("a video snippet submits a task with its first command and shows its state with the second", async () => {
  const model = await addModel("video", "sandbox-video-turbo");
  const snippets = snippetsOf({ kind: "video", model, prompt: HOSTILE });
  const [submit = "", status = ""] = find(snippets, "curl").code.split("\n\n");
  const task = JSON.parse(await outputOf({ language: "sh", code: submit })) as { id: string; status: string };
  expect(task).toMatchObject({ model, status: "processing" });
  const shown = JSON.parse(await outputOf({ language: "sh", code: status }, { TASK_ID: task.id }));
  expect(shown).toMatchObject({ id: task.id, model });
});

test.each([
  ["filled in", (secret: string) => secret],
  ["in the environment", () => null],
])("the admin API's snippet lists the keys, with the secret %s", async (_where, shown) => {
  const { secret } = await newManager(gateway, { accountId: customer.accountId });
  const code = adminSnippet({ baseUrl: gateway.url, secret: shown(secret) });
  const answer = await outputOf({ language: "sh", code }, { TOLLGATE_MANAGEMENT_KEY: secret });
  expect(JSON.parse(answer)).toMatchObject({ data: [{ account_id: customer.accountId }], next_cursor: null });
});
