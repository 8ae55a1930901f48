import { fileURLToPath } from "node:url";

/** Where the built client is. */
export const CLIENT_FOLDER = fileURLToPath(new URL("../../../../web/dist", import.meta.url));
