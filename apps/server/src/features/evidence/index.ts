/** The evidence file ('dossier de preuve'): who, when, how, for whoever has to judge. */
export { evidenceRoutes } from "./routes.ts";
