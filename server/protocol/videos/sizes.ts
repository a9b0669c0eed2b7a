/** Sizes in pixels, as requests for OpenAI's videos name them, with the resolution and ratio of each. Pure. */
import { type AspectRatio, aspectRatios, type Resolution, resolutions } from "@/server/domain/enums";

type Shape = { resolution: Resolution; aspectRatio: AspectRatio };

/** The shorter side is the resolution. A vendor's own pixels may differ by a few: its 480p is 832x480. */
const sizes: Record<Resolution, Record<AspectRatio, string>> = {
  "480p": { "16:9": "854x480", "9:16": "480x854", "1:1": "480x480", "4:3": "640x480", "3:4": "480x640" },
  "720p": { "16:9": "1280x720", "9:16": "720x1280", "1:1": "720x720", "4:3": "960x720", "3:4": "720x960" },
  "1080p": {
    "16:9": "1920x1080",
    "9:16": "1080x1920",
    "1:1": "1080x1080",
    "4:3": "1440x1080",
    "3:4": "1080x1440",
  },
};

const shapes = new Map<string, Shape>(
  resolutions.flatMap((resolution) =>
    aspectRatios.map((aspectRatio) => [sizes[resolution][aspectRatio], { resolution, aspectRatio }] as const),
  ),
);

export const knownSizes: readonly string[] = [...shapes.keys()];

/** null: no video has this size. */
export const shapeOf = (size: string): Shape | null => shapes.get(size) ?? null;

/** If the client has left the ratio open, every vendor makes 16:9. */
export const sizeOf = ({
  resolution,
  aspectRatio,
}: {
  resolution: Resolution;
  aspectRatio: AspectRatio | null;
}): string => sizes[resolution][aspectRatio ?? "16:9"];
