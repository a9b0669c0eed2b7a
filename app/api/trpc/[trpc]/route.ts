export { answerTrpc as GET, answerTrpc as POST } from "@/server/console";
