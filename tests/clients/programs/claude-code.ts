import { PROMPT, type Program } from "../program";

export const claudeCode: Program = {
  id: "claude-code",
  title: "Claude Code",
  version: "2.1.332",
  dialect: "messages",
  npm: ["@anthropic-ai/claude-code@2.1.332"],
  command: () => ["node_modules/.bin/claude", "-p", PROMPT, "--allowedTools", "Bash"],
  env: ({ url, key, model }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  }),
};
