import { describeInstallation } from "@/server/console";

/** This installation's address, without `/v1`: with it, examples can be run unchanged. */
export const baseUrlOf = async (): Promise<string> => (await describeInstallation()).baseUrl;
