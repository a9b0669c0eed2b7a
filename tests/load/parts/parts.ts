import { calls } from "./calls";
import { consolePages } from "./console";
import { growth } from "./growth";
import { memory } from "./memory";
import { money } from "./money";
import type { Part } from "./part";
import { replicas } from "./replicas";
import { streams } from "./streams";
import { videos } from "./videos";

/** What is measured when no part is named. */
export const usual = { calls, streams, money, memory, console: consolePages };

/** By the name that the command and the page know. */
export const parts: Record<string, Part> = { ...usual, growth, replicas, videos };
