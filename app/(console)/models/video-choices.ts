/** What a client may ask for (spec 4.5). */
export const durations = [5, 10, 15] as const;
export const resolutions = ["480p", "720p", "1080p"] as const;
export const aspectRatios = ["16:9", "9:16", "1:1", "4:3", "3:4"] as const;
