import { videos } from "../videos/videos";
import { accounts } from "./accounts";
import { calls, shortStreams } from "./calls";
import { consolePages } from "./console";
import { growth } from "./growth";
import { memory } from "./memory";
import { money } from "./money";
import type { Part } from "./part";
import { profile } from "./profile";
import { replicas } from "./replicas";
import { streams } from "./streams";
import { translation } from "./translation";

/** What is measured when no part is named. */
export const usual = { calls, streams, money, memory, accounts, console: consolePages };

/** By the name that the command and the page know. */
export const parts: Record<string, Part> = {
  ...usual,
  "short-streams": shortStreams,
  growth,
  translation,
  replicas,
  videos,
  profile,
};

/** Nothing that a page could keep. */
export const unwritten = ["profile"];
