import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import {
  adminSnippet,
  type Snippet,
  type SnippetCall,
  snippetsFor,
} from "@/app/(console)/_components/snippet-templates";
import { nanos, parseMoney } from "@/server/base/money";
import { newManager } from "@/tests/support/admin-api";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";

const gateway = perFile(sharedGateway);
const customer = perFile(() => gateway.customer());

/** Breaks out of whatever does not quote it. */
const HOSTILE = `it's "a" \\ $(echo ran) \`echo ran\` \${1 + 1}`;

/** The sandbox's model under a name that quoting must survive; it repeats what it was told. */
async function addModel(kind: SnippetCall["kind"], upstreamName: string): Promise<string> {
  const id = `${HOSTILE} ${kind}`;
  const price = parseMoney("0.05") ?? nanos(0n);
  await gateway.model({
    id,
    kind,
    videoPrices: kind === "video" ? [{ durationSeconds: 5, resolution: "720p", price }] : [],
  });
  const models = { [id]: upstreamName };
  await gateway.channel({ model: id, dialect: "sandbox", baseUrl: "sandbox:", models });
  return id;
}

const run = promisify(execFile);

/** What the code prints, pasted into a shell or a file of this project. */
async function printed(
  { language, code }: Pick<Snippet, "language" | "code">,
  env: Record<string, string> = {},
): Promise<string> {
  const options = { env: { ...process.env, ...env }, timeout: 30_000 };
  const { stdout } =
    language === "sh"
      ? await run("sh", ["-c", code], options)
      : await run(process.execPath, ["--input-type=module", "--eval", code], options);
  return stdout;
}

const find = (snippets: Snippet[], id: Snippet["id"]): Snippet => {
  const snippet = snippets.find((one) => one.id === id);
  if (!snippet) {
    throw new Error(`there is no snippet for ${id}`);
  }
  return snippet;
};

describe("a chat snippet, run as it stands,", () => {
  let model: string;
  beforeAll(async () => {
    model = await addModel("chat", "sandbox-chat");
  });
  const clients = ["curl", "openai", "anthropic", "ai-sdk"] as const;

  test("exists for every documented client", () => {
    const snippets = snippetsFor({ kind: "chat", baseUrl: gateway.url, secret: customer.secret, model });
    expect(snippets.map(({ id }) => id)).toEqual(clients);
  });

  test.each(clients)("takes the key from the environment with %s", async (id) => {
    const snippets = snippetsFor({ kind: "chat", baseUrl: gateway.url, secret: null, model });
    expect(await printed(find(snippets, id), { TOLLGATE_KEY: customer.secret })).toContain("You said:");
  });

  test.each(clients)("sends a whole conversation, whatever is in it, with %s", async (id) => {
    const snippets = snippetsFor({
      kind: "chat",
      baseUrl: gateway.url,
      secret: customer.secret,
      model,
      system: `${HOSTILE} system\nof two lines`,
      messages: [
        { role: "user", content: "first" },
        { role: "assistant", content: "second" },
        { role: "user", content: HOSTILE },
      ],
      temperature: 0.5,
      maxTokens: 60,
    });
    const answer = await printed(find(snippets, id));
    // curl shows JSON, where quotes and backslashes are escaped.
    expect(answer).toContain(id === "curl" ? JSON.stringify(HOSTILE).slice(1, -1) : HOSTILE);
  });
});

describe("an embedding snippet, run as it stands,", () => {
  let model: string;
  beforeAll(async () => {
    model = await addModel("embedding", "sandbox-embedding");
  });

  test("gets a vector of each text with curl", async () => {
    const input = [HOSTILE, "another"];
    const snippets = snippetsFor({
      kind: "embedding",
      baseUrl: gateway.url,
      secret: customer.secret,
      model,
      input,
    });
    const { data } = JSON.parse(await printed(find(snippets, "curl"))) as { data: unknown[] };
    expect(data).toHaveLength(2);
  });

  test.each(["openai", "ai-sdk"] as const)("prints the dimensions with %s", async (id) => {
    const snippets = snippetsFor({ kind: "embedding", baseUrl: gateway.url, secret: customer.secret, model });
    expect(await printed(find(snippets, id))).toBe("512\n");
  });
});

test("a video snippet submits a task with its first command and shows its state with the second", async () => {
  const model = await addModel("video", "sandbox-video-turbo");
  const snippets = snippetsFor({
    kind: "video",
    baseUrl: gateway.url,
    secret: customer.secret,
    model,
    prompt: HOSTILE,
  });
  const [submit = "", status = ""] = find(snippets, "curl").code.split("\n\n");
  const task = JSON.parse(await printed({ language: "sh", code: submit })) as { id: string; status: string };
  expect(task).toMatchObject({ model, status: "processing" });
  const shown = JSON.parse(await printed({ language: "sh", code: status }, { TASK_ID: task.id }));
  expect(shown).toMatchObject({ id: task.id, model });
});

test.each([
  ["filled in", (secret: string) => secret],
  ["in the environment", () => null],
])("the admin API's snippet lists the keys, with the secret %s", async (_where, shown) => {
  const { secret } = await newManager(gateway, { accountId: customer.accountId });
  const code = adminSnippet({ baseUrl: gateway.url, secret: shown(secret) });
  const answer = await printed({ language: "sh", code }, { TOLLGATE_MANAGEMENT_KEY: secret });
  expect(JSON.parse(answer)).toMatchObject({ data: [{ account_id: customer.accountId }], next_cursor: null });
});
