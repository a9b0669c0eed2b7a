import type { Program } from "../program";
import { agents } from "./agents";
import { aiSdks } from "./ai-sdk";
import { aider } from "./aider";
import { claudeCode } from "./claude-code";
import { clines } from "./cline";
import { codex } from "./codex";
import { geminiCli } from "./gemini-cli";
import { gooses } from "./goose";
import { langchains } from "./langchain";
import { llm } from "./llm";
import { opencodes } from "./opencode";
import { promptfoo } from "./promptfoo";
import { pythons } from "./python";

/** In the order of the runs. */
export const programs: Program[] = [
  codex,
  claudeCode,
  geminiCli,
  ...opencodes,
  ...clines,
  ...gooses,
  aider,
  llm,
  ...aiSdks,
  agents,
  ...langchains,
  ...pythons,
  promptfoo,
];
