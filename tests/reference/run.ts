/**
 * Runs the guide's Python as it stands, and schemathesis with /openapi.json against a running server: no answer that is not
 * in the document, and no 500. Packages come from PyPI; `REFERENCE_VENV` keeps them for the next run.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startServer, waitFor } from "@/tests/support/process";
import { startUpstream } from "@/tests/support/upstream";

const PACKAGES = ["schemathesis==4.32.5", "openai", "anthropic"];

const { values } = parseArgs({ options: { cases: { type: "string", default: "100" } } });

/** A Python with the packages. */
function preparePython(): string {
  const venv = process.env.REFERENCE_VENV ?? mkdtempSync(join(tmpdir(), "tollgate-reference-"));
  const bin = (name: string) => join(venv, "bin", name);
  if (!existsSync(bin("schemathesis"))) {
    execFileSync("python3", ["-m", "venv", venv]);
    execFileSync(bin("pip"), ["install", "--quiet", ...PACKAGES], { stdio: "inherit" });
  }
  return join(venv, "bin");
}

/** Kinds of models of which the sandbox has none, as their vendors answer. */
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
await waitFor(() => /Demo key {2}sk-/.test(server.output()));
const key = /Demo key {2}(\S+)/.exec(server.output())?.[1] ?? "";
const command = (...words: string[]) =>
  execFileSync(process.execPath, ["dist/tollgate.js", ...words], {
    env: { ...process.env, TOLLGATE_DATA_DIR: data },
    stdio: ["ignore", "ignore", "inherit"],
  });
const kinds = ["image", "speech", "rerank", "moderation", "transcription"];
for (const kind of kinds) {
  command("model", "set", "--id", `any-${kind}`, "--kind", kind, "--free");
}
const models = kinds.flatMap((kind) => ["--model", `any-${kind}`]);
const channel = [
  "--name",
  "any",
  "--dialect",
  "openai",
  "--base-url",
  upstream.baseUrl,
  "--secret",
  "sk-any",
];
command("channel", "add", ...channel, ...models);

const examples = globSync("docs/guide/*/*.md").flatMap((file) =>
  [...readFileSync(file, "utf8").matchAll(/^```python\n([\s\S]*?)^```/gm)].map(([, code = ""]) => ({
    file,
    code,
  })),
);
const failed = examples.filter(({ file, code }) => {
  const here = code.replaceAll("http://127.0.0.1:3000", server.url);
  const env = { ...process.env, TOLLGATE_KEY: key };
  const { status, stdout, stderr } = spawnSync(join(bin, "python"), ["-c", here], { env, encoding: "utf8" });
  const isGood = status === 0 && stdout.trim() !== "";
  console.log(`${isGood ? "ran" : "FAILED"} ${file}${isGood ? "" : `\n${stderr}`}`);
  return !isGood;
});

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
// Not waited for in place: the upstream answers from this process.
const cases = spawn(
  join(bin, "schemathesis"),
  [
    ...["run", `${server.url}/openapi.json?lang=en`, "--no-color", "--continue-on-failure"],
    ...["-H", `Authorization: Bearer ${key}`, "--checks", checks, "--phases", "coverage,fuzzing"],
    ...["-n", values.cases, "--workers", "1", "--request-timeout", "30"],
  ],
  {
    env: {
      ...process.env,
      SCHEMATHESIS_HOOKS: "tests/reference/hooks.py",
      REFERENCE_MODELS: JSON.stringify(fitting),
    },
    stdio: "inherit",
  },
);
const [status] = (await once(cases, "close")) as [number | null];
await server.stop();
await upstream.close();
process.exit(status === 0 && failed.length === 0 ? 0 : 1);
