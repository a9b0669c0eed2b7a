import { getRuntime } from "@/server/runtime/shared-runtime";

/** Whether this installation sends e-mails. */
export const sendsMail = async (): Promise<boolean> => (await getRuntime()).config.SMTP_URL !== undefined;
