import { calls } from "./calls";
import { consolePages } from "./console";
import { growth } from "./growth";
import { memory } from "./memory";
import { money } from "./money";
import type { BenchPart } from "./part";
import { replicas } from "./replicas";
import { resources } from "./resources";
import { slow } from "./slow";
import { streams } from "./streams";
import { videos } from "./videos";

/** The parts that run if none is named. */
export const usual = { calls, streams, money, memory, console: consolePages };

/** By their names in the command and on the page. */
export const parts: Record<string, BenchPart> = { ...usual, growth, replicas, resources, slow, videos };
