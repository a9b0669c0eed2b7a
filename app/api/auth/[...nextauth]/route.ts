export { answerAuth as GET, answerAuth as POST } from "@/server/console";
