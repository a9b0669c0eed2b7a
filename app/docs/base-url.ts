import { describeInstallation } from "@/server/console";

/** Where this installation is reached, without `/v1`: examples can be run as they stand. */
export const baseUrlOf = async (): Promise<string> => (await describeInstallation()).baseUrl;
