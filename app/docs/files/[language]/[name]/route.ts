export { answerFile as GET } from "@/app/docs/files";
