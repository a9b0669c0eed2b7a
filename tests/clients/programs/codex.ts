import { PROMPT, type Program } from "../program";

export const codex: Program = {
  id: "codex",
  title: "Codex CLI",
  version: "0.171.0",
  dialect: "responses",
  npm: ["@openai/codex@0.171.0"],
  files: ({ url, model }) => ({
    ".codex/config.toml": `
model = "${model}"
model_provider = "tollgate"
model_reasoning_effort = "high"

[model_providers.tollgate]
name = "Tollgate"
base_url = "${url}/v1"
env_key = "TOLLGATE_KEY"
wire_api = "responses"
`,
  }),
  command: () => [
    "node_modules/.bin/codex",
    "exec",
    "--skip-git-repo-check",
    "--dangerously-bypass-approvals-and-sandbox",
    PROMPT,
  ],
  words: /^ERROR|^The tool/,
  env: ({ key }) => ({ TOLLGATE_KEY: key }),
};
