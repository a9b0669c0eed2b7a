export { answerUnsubscribe as POST, openUnsubscribe as GET } from "@/server/console";
