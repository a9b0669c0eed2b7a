import Bowser from "bowser";
import type { Device } from "@/server/access";

/** Longer than any browser's `User-Agent`. */
const MAX_CHARACTERS = 512;

/** The browser and the operating system of a `User-Agent`, without their versions. */
export function deviceOf(userAgent: string | null): Device {
  if (!userAgent) {
    return { browser: null, system: null };
  }
  const parser = Bowser.getParser(userAgent.slice(0, MAX_CHARACTERS));
  return { browser: parser.getBrowserName() || null, system: parser.getOSName() || null };
}
