/**
 * Runs the documentation's examples in Python and, with `REFERENCE_GO`, in Go unchanged, and schemathesis with both OpenAPI documents against a running
 * server: each answer must be in the document, and none may be a 500. Packages come from PyPI; `REFERENCE_VENV` keeps
 * them for the next run.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findGo, goWords } from "@/tests/support/golang";
import { startServer } from "@/tests/support/process";
import { until } from "@/tests/support/until";
import { startUpstream } from "@/tests/support/upstream";

const { values } = parseArgs({
  options: {
    /** For each operation. */
    cases: { type: "string", default: "100" },
    /** The document: `v1`, `admin`, or both. */
    only: { type: "string" },
    /** Repeats a run; each run prints its seed. */
    seed: { type: "string" },
  },
});

/** A Python environment with the packages. */
function preparePython(): string {
  const venv = process.env.REFERENCE_VENV ?? mkdtempSync(join(tmpdir(), "tollgate-reference-"));
  const bin = (name: string) => join(venv, "bin", name);
  if (!existsSync(bin("schemathesis"))) {
    execFileSync("python3", ["-m", "venv", venv]);
    execFileSync(bin("pip"), ["install", "--quiet", "-r", "tests/reference/requirements.txt"], {
      stdio: "inherit",
    });
  }
  return join(venv, "bin");
}

/** Answers of vendors for kinds of models that the sandbox does not have. */
const answers: Record<string, object> = {
  image: { created: 1, data: [{ url: "https://pictures.example/1.png" }] },
  rerank: { results: [{ index: 0, relevance_score: 0.5 }], usage: { total_tokens: 3 } },
  moderation: { id: "m", model: "m", results: [{ flagged: false }] },
  transcription: { text: "Hello", duration: 1, segments: [] },
};

const kindAt = (path: string): string =>
  [
    ["/images/", "image"],
    ["/rerank", "rerank"],
    ["/moderations", "moderation"],
  ].find(([part = ""]) => path.includes(part))?.[1] ?? "transcription";

const upstream = await startUpstream(({ path }, response) => {
  if (path.endsWith("/speech")) {
    response.writeHead(200, { "content-type": "audio/mpeg" }).end("sound");
    return;
  }
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answers[kindAt(path)]));
});

const bin = preparePython();
const data = mkdtempSync(join(tmpdir(), "tollgate-reference-data-"));
const server = await startServer({ TOLLGATE_DATA_DIR: data, VIDEO_RATE_LIMIT_PER_MINUTE: "100000" });
await until(() => /Demo key {2}sk-/.test(server.output()));
const key = /Demo key {2}(\S+)/.exec(server.output())?.[1] ?? "";
const command = (...words: string[]) =>
  execFileSync(process.execPath, ["dist/tollgate.js", ...words, "--json"], {
    env: { ...process.env, TOLLGATE_DATA_DIR: data },
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
const made = (...words: string[]): Record<string, string> => JSON.parse(command(...words));
const kinds = ["image", "speech", "rerank", "moderation", "transcription"];
for (const kind of kinds) {
  command("model", "set", "--id", `any-${kind}`, "--kind", kind, "--free");
}
const models = kinds.flatMap((kind) => ["--model", `any-${kind}`]);
const channel = [
  ...["--name", "any", "--dialect", "openai"],
  ...["--base-url", upstream.baseUrl, "--secret", "sk-any"],
];
command("channel", "add", ...channel, ...models);

const examples = ["docs/clients.md", ...globSync("docs/guide/*/*.md")].flatMap((file) =>
  [...readFileSync(file, "utf8").matchAll(/^```(python|go)\n([\s\S]*?)^```/gm)].map(
    ([, language = "", code = ""]) => ({ file, language, code }),
  ),
);
const go = findGo();
const failed = examples.filter(({ file, language, code }) => {
  if (language === "go" && go === null) {
    return false;
  }
  const here = code.replaceAll("http://127.0.0.1:3000", server.url);
  const env = { ...process.env, TOLLGATE_KEY: key };
  const [program, words] =
    language === "go" ? [go ?? "", goWords(here)] : [join(bin, "python"), ["-c", here]];
  const { status, stdout, stderr } = spawnSync(program, words, { env, encoding: "utf8" });
  const isGood = status === 0 && stdout.trim() !== "";
  console.log(`${isGood ? "ran" : "FAILED"} ${file}${isGood ? "" : `\n${stderr}`}`);
  return !isGood;
});

/** The model names in cases of `/v1`, by a part of their path: existing ones in addition to invented ones. */
const fitting = {
  "/images/": "any-image",
  "/audio/speech": "any-speech",
  "/audio/": "any-transcription",
  "/rerank": "any-rerank",
  "/moderations": "any-moderation",
  "/videos": "sandbox-video-turbo",
  "/embeddings": "sandbox-embedding",
  mbedContent: "sandbox-embedding",
  "/v1": "sandbox-chat",
};
const checks =
  "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";

/** Asynchronous, because the upstream answers from this process. */
async function makeCases({
  path,
  keys,
  hooks,
}: (typeof documents)[keyof typeof documents]): Promise<boolean> {
  const cases = spawn(
    join(bin, "schemathesis"),
    [
      ...["run", `${server.url}${path}`, "--no-color", "--continue-on-failure", "--checks", checks],
      ...["--phases", "coverage,fuzzing", "-n", values.cases, "--workers", "1", "--request-timeout", "40"],
      ...(values.seed === undefined ? [] : ["--seed", values.seed]),
    ],
    {
      env: {
        ...process.env,
        SCHEMATHESIS_HOOKS: `tests/reference/${hooks}`,
        REFERENCE_KEYS: JSON.stringify(keys),
        REFERENCE_MODELS: JSON.stringify(fitting),
      },
      stdio: "inherit",
    },
  );
  const [status] = (await once(cases, "close")) as [number | null];
  return status === 0;
}

/** One management key may make 600 calls a minute. */
const managers = Array.from({ length: 10 }, (_, at) => made("management-key", "create", "--name", `m${at}`));
const documents = {
  v1: { path: "/openapi.json?lang=en", hooks: "hooks.py", keys: [{ secret: key }] },
  admin: { path: "/admin/v1/openapi.json", hooks: "admin_hooks.py", keys: managers },
};
let isGood = failed.length === 0;
for (const [name, document] of Object.entries(documents)) {
  if (values.only === undefined || values.only === name) {
    isGood = (await makeCases(document)) && isGood;
  }
}
await server.stop();
await upstream.close();
process.exit(isGood ? 0 : 1);
