export { answerOpenApi as GET } from "@/app/docs/documents";
