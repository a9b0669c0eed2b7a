import Bowser from "bowser";
import type { Device } from "@/server/access";

/** More than any browser says of itself. */
const MAX_CHARACTERS = 512;

/** The browser and the system that a `User-Agent` names, without their versions. */
export function deviceOf(userAgent: string | null): Device {
  if (!userAgent) {
    return { browser: null, system: null };
  }
  const parser = Bowser.getParser(userAgent.slice(0, MAX_CHARACTERS));
  return { browser: parser.getBrowserName() || null, system: parser.getOSName() || null };
}
