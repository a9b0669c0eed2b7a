import { vendorsRoute } from "@/server/process/endpoints";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = vendorsRoute;
