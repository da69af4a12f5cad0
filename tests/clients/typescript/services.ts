// Every method of every service of the client, as SERVICE/METHOD; those it lacks are not functions.
import { Client } from "@clerestory/client";

const client = new Client("http://127.0.0.1:1");
const services = {
  AdvisorService: client.advisor,
  AnnotationService: client.annotation,
  GameService: client.games,
  LessonService: client.lessons,
  PuzzleService: client.puzzles,
  RulesService: client.rules,
};
const names = Object.entries(services).flatMap(([service, methods]) =>
  Object.entries(methods).flatMap(([name, method]) => (typeof method === "function" ? [`${service}/${name}`] : [])),
);
console.log(JSON.stringify(names));
