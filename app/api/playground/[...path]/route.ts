export { answerPlayground as GET, answerPlayground as POST } from "@/server/console";
