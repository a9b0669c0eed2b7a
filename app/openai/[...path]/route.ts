import { openaiRoute } from "@/server/process/endpoints";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = openaiRoute;
