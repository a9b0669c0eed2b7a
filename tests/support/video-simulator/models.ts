/** `W*H` by ratio; 480p has no 4:3 and 3:4. */
const sizes: Record<string, Record<string, string>> = {
  "480p": { "16:9": "832*480", "9:16": "480*832", "1:1": "624*624" },
  "720p": { "16:9": "1280*720", "9:16": "720*1280", "1:1": "960*960", "4:3": "1088*832", "3:4": "832*1088" },
  "1080p": {
    "16:9": "1920*1080",
    "9:16": "1080*1920",
    "1:1": "1440*1440",
    "4:3": "1632*1248",
    "3:4": "1248*1632",
  },
};

/** The resolution and ratio of a `W*H`. null: no model has this size. */
export function readSize(size: string): { resolution: string; ratio: string } | null {
  for (const [resolution, byRatio] of Object.entries(sizes)) {
    const ratio = Object.keys(byRatio).find((candidate) => byRatio[candidate] === size);
    if (ratio) {
      return { resolution, ratio };
    }
  }
  return null;
}

export const sizeOf = (resolution: string, ratio: string): string => sizes[resolution]?.[ratio] ?? "";

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

export type WanModel = {
  /** Currency units per second, by resolution. A missing one is not supported; the last one is the default. */
  prices: Record<string, number>;
  seconds: number[];
  /** The number of a prompt's characters that it reads. */
  promptLimit: number;
  /** From 2.7 on: `resolution` and `ratio` instead of `size`. */
  takesResolution?: true;
};

const wan21Turbo: WanModel = { prices: { "480p": 0.24, "720p": 0.24 }, seconds: [5], promptLimit: 800 };
const wan21Plus: WanModel = { prices: { "720p": 0.7 }, seconds: [5], promptLimit: 800 };

export const wanModels: Record<string, WanModel> = {
  "wanx2.1-t2v-turbo": wan21Turbo,
  "wan2.1-t2v-turbo": wan21Turbo,
  "wanx2.1-t2v-plus": wan21Plus,
  "wan2.1-t2v-plus": wan21Plus,
  "wan2.2-t2v-plus": { prices: { "480p": 0.14, "1080p": 0.7 }, seconds: [5], promptLimit: 800 },
  "wan2.5-t2v-preview": {
    prices: { "480p": 0.3, "720p": 0.6, "1080p": 1 },
    seconds: [5, 10],
    promptLimit: 1_500,
  },
  "wan2.6-t2v": { prices: { "720p": 0.6, "1080p": 1 }, seconds: range(2, 15), promptLimit: 1_500 },
  "wan2.7-t2v": {
    ...{ prices: { "720p": 0.6, "1080p": 1 }, seconds: range(2, 15), promptLimit: 1_500 },
    takesResolution: true,
  },
};

export type ArkModel = { prices: Record<string, number>; seconds: number[]; defaultResolution: string };

const ark = { "480p": 0.35, "720p": 0.75, "1080p": 1.7 };

export const arkModels: [RegExp, ArkModel][] = [
  [/seedance-1-0-lite/, { prices: ark, seconds: range(2, 12), defaultResolution: "720p" }],
  [/seedance-1-0/, { prices: ark, seconds: range(2, 12), defaultResolution: "1080p" }],
  [/seedance-1-5/, { prices: ark, seconds: range(4, 12), defaultResolution: "720p" }],
  [/seedance-2-0/, { prices: { "480p": 0.5, "720p": 1 }, seconds: range(4, 15), defaultResolution: "720p" }],
];

/** `seconds` and sizes are strings in this dialect. */
export type OpenAiVideoModel = { prices: Record<string, number>; seconds: string[] };

export const openAiVideoModels: Record<string, OpenAiVideoModel> = {
  "sora-2": { prices: { "1280x720": 0.1, "720x1280": 0.1 }, seconds: ["4", "8", "12"] },
  "sora-2-pro": {
    prices: { "1280x720": 0.3, "720x1280": 0.3, "1920x1080": 0.7, "1080x1920": 0.7 },
    seconds: ["4", "8", "12"],
  },
  // A self-hosted server: with the durations and sizes of the operator's model.
  "open-video": {
    prices: {
      ...{ "832x480": 0.01, "480x832": 0.01, "1280x720": 0.02, "720x1280": 0.02, "1920x1080": 0.04 },
      "1080x1920": 0.04,
    },
    seconds: ["5", "10", "15"],
  },
};
