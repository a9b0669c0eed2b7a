import type { Texts } from "@/server/base/language";

/** The same said in both languages. */
export const both = (zh: string, en: string): Texts => ({ zh, en });
