import { gatewayRoute } from "@/server/process/endpoints";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = gatewayRoute;
