/** The figures and lists of the dashboard. */
export { dashboardRoutes } from "./routes.ts";
