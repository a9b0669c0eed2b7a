import type { Texts } from "@/server/base/language";

/** The same text in both languages. */
export const both = (zh: string, en: string): Texts => ({ zh, en });
