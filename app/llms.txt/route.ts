export { answerLlms as GET } from "@/app/docs/documents";
