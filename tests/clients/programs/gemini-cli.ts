import { PROMPT, type Program } from "../program";

export const geminiCli: Program = {
  id: "gemini-cli",
  title: "Gemini CLI",
  version: "0.61.0",
  dialect: "gemini",
  npm: ["@google/gemini-cli@0.61.0"],
  files: () => ({
    ".gemini/settings.json": JSON.stringify({
      security: { auth: { selectedType: "gemini-api-key" } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    }),
  }),
  command: ({ model }) => ["node_modules/.bin/gemini", "--yolo", "--model", model, "--prompt", PROMPT],
  env: ({ url, key }) => ({
    GEMINI_API_KEY: key,
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_CLI_TRUST_WORKSPACE: "true",
  }),
};
