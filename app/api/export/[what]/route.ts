export { answerExport as GET } from "@/server/console";
